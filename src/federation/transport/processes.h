// Processes: communication between the processes of one program.
//
// All processes must call the same functions in the same order, except rank, count and abandon.
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

  // Divides the processes into groups of equal size, each with its own slices. Processes with the
  // same place in their groups host the same site.
  virtual void split(std::size_t group) = 0;
  // Adds over the processes of a group, that is, over sites.
  virtual void add(std::span<std::uint32_t> words, std::span<ScalarWord> scalars) = 0;
  // Add, or take the largest, over the processes with the same place in their groups, that is, over
  // slices.
  virtual void add_slices(std::span<ScalarWord> scalars) = 0;
  virtual int largest_of_slices(int number) = 0;
  // Replaces each number by the largest over all processes.
  virtual void largest(std::span<int> numbers) = 0;
  // Returns the sum over the processes on this machine, which share its memory.
  virtual std::uint64_t add_on_machine(std::uint64_t bytes) = 0;
  // Ends all processes, because this one has failed for a reason that the others do not know. With
  // one process it just returns.
  virtual void abandon(const std::string& reason, int exit_code) = 0;
  // Returns the bytes of every process at process 0, and nothing at the others.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
};

// A program with a single process.
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
