// LocalExchange: a WordExchange between the threads of one process and, through one of them,
// between the processes of a program.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "federation/sums/word_exchange.h"
#include "federation/transport/processes.h"

namespace firm {

// Thrown in all other threads of an allreduce when one has failed.
class PeerFailed : public std::runtime_error {
 public:
  PeerFailed() : std::runtime_error("another part of the run has failed") {}
};

// An all-reduce over the threads of a process: each adds its share, and the last to arrive combines
// the result with that of the other processes.
class LocalAllreduce {
 public:
  struct Size {
    std::size_t here = 1;    // threads of this process; must be 1 with several groups
    std::size_t sites = 1;   // sites over which words are added up
    std::size_t groups = 1;  // groups of processes, each with its own slices
  };

  // `checkpoint_due` is called once per sum, at process 0; if true, all sites save a checkpoint.
  LocalAllreduce(Processes& processes, const Size& size, std::function<bool()> checkpoint_due);

  const Size& size() const { return size_; }
  Processes& processes() const { return processes_; }

  struct Outcome {
    std::optional<int> scale;  // fraction bits to try again with; empty: the sum is complete
    bool checkpoint = false;
  };
  Outcome sum(const ShareView& share, std::optional<int> exponent);

  // Reports that this thread has failed: the others throw PeerFailed.
  void fail();

 private:
  void combine();

  Processes& processes_;
  const Size size_;
  const std::function<bool()> checkpoint_due_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  std::size_t leaving_ = 0;
  bool failed_ = false;
  std::vector<std::uint32_t> words_;
  std::vector<ScalarWord> scalars_;
  std::optional<int> exponent_;
  Outcome outcome_;
};

class LocalExchange : public WordExchange {
 public:
  explicit LocalExchange(LocalAllreduce& allreduce) : allreduce_(allreduce) {}

  std::size_t sites() const override { return allreduce_.size().sites; }
  std::optional<int> sum(const ShareView& share, std::optional<int> exponent,
                         const std::string& opener) override;
  std::size_t slice_groups() const override { return allreduce_.size().groups; }
  void sum_slices(std::span<ScalarWord> scalars) override {
    allreduce_.processes().add_slices(scalars);
  }
  int largest_of_slices(int number) override {
    return allreduce_.processes().largest_of_slices(number);
  }
  bool checkpoint_asked() override { return std::exchange(checkpoint_asked_, false); }

 private:
  LocalAllreduce& allreduce_;
  bool checkpoint_asked_ = false;
};

}  // namespace firm
