// Processes: the processes of one program that compute together, and what they add up.
//
// Every function but the first two and abandon is called by all processes in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "federation/sums/fixed_point.h"
#include "federation/sums/scalar_word.h"

namespace firm {

class Processes {
 public:
  virtual ~Processes() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t count() const = 0;

  // Cuts the processes into groups of the same size, each with slices of its own. Processes that
  // have the same place in their groups host the same site.
  virtual void split(std::size_t group) = 0;
  // Among the processes of a group: over sites.
  virtual void add(std::span<std::uint32_t> words, std::span<ScalarWord> scalars) = 0;
  // Among those with the same place in their groups: over slices.
  virtual void add_slices(std::span<ScalarWord> scalars) = 0;
  virtual int largest_of_slices(int number) = 0;
  // The largest of each number over all processes.
  virtual void largest(std::span<int> numbers) = 0;
  // The sum over the processes on this machine, which share its memory.
  virtual std::uint64_t add_on_machine(std::uint64_t bytes) = 0;
  // This process cannot go on, for a reason that the others do not know. Ends them all; one that is
  // alone just returns.
  virtual void abandon(const std::string& reason, int exit_code) = 0;
  // What every process has given, at process 0; nothing at the others.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
};

// This one process.
class OneProcess : public Processes {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t count() const override { return 1; }
  void split(std::size_t) override {}
  void add(std::span<std::uint32_t>, std::span<ScalarWord>) override {}
  void add_slices(std::span<ScalarWord>) override {}
  int largest_of_slices(int number) override { return number; }
  void largest(std::span<int>) override {}
  std::uint64_t add_on_machine(std::uint64_t bytes) override { return bytes; }
  void abandon(const std::string&, int) override {}
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
};

}  // namespace firm
