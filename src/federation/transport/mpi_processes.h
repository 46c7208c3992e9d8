// MpiProcesses: the processes started by mpirun.
#pragma once

#include <memory>

#include "federation/transport/processes.h"

namespace firm {

class MpiProcesses : public Processes {
 public:
  // Initialises MPI; the destructor finalises it. A program may have only one of these. Throws
  // firm::Error when the MPI library cannot be used from several threads.
  MpiProcesses();
  ~MpiProcesses() override;
  MpiProcesses(const MpiProcesses&) = delete;
  MpiProcesses& operator=(const MpiProcesses&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t count() const override { return count_; }
  void split(std::size_t group) override;
  void add(std::span<std::uint32_t> words, std::span<ScalarWord> scalars) override;
  void add_slices(std::span<ScalarWord> scalars) override;
  int largest_of_slices(int number) override;
  void largest(std::span<int> numbers) override;
  std::uint64_t add_on_machine(std::uint64_t bytes) override;
  void abandon(const std::string& reason, int exit_code) override;
  std::vector<std::string> gather(const std::string& bytes) override;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::size_t rank_ = 0;
  std::size_t count_ = 1;
};

}  // namespace firm
