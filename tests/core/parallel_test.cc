#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace firm {
namespace {

// Runs a loop and returns how often each task has run.
std::vector<int> runs_of(std::size_t count, int threads, Handout handout) {
  std::vector<std::atomic<int>> runs(count);
  parallel_for(
      count, threads, [&](std::size_t i) { ++runs[i]; }, handout);
  return {runs.begin(), runs.end()};
}

TEST(ParallelLoop, RunsEveryTaskOnce) {
  for (const Handout handout : {Handout::kQueue, Handout::kRanges}) {
    for (const int threads : {1, 2, 3, 8}) {
      for (const std::size_t count : {0, 1, 2, 7, 100}) {
        ASSERT_EQ(runs_of(count, threads, handout), std::vector<int>(count, 1))
            << count << " tasks, " << threads << " threads";
      }
    }
  }
}

// Helpers that hear of a loop only when it is over must not touch the next one.
TEST(ParallelLoop, RunsManyShortLoopsOneAfterAnother) {
  for (int k = 0; k < 20000; ++k) {
    const auto count = static_cast<std::size_t>(2 + k % 5);
    const Handout handout = k % 2 == 0 ? Handout::kQueue : Handout::kRanges;
    std::vector<int> values(count, 0);  // not atomic: a task that runs twice is a race
    parallel_for(
        count, 2 + k % 3, [&](std::size_t i) { values[i] += 1 + k; }, handout);
    ASSERT_EQ(values, std::vector<int>(count, 1 + k));
  }
}

TEST(ParallelLoop, SeesWhatTheLoopBeforeWrote) {
  std::vector<long> values(64, 1);
  for (int k = 0; k < 2000; ++k) {
    const std::vector<long> before = values;
    parallel_for(values.size(), 4,
                 [&](std::size_t i) { values[i] = before[(i + 1) % before.size()] + 1; });
  }
  EXPECT_EQ(values, std::vector<long>(64, 2001));
}

TEST(ParallelLoop, RunsInsideOthersAndBesideOthers) {
  std::atomic<int> sum = 0;
  const auto nested = [&] {
    for (int k = 0; k < 200; ++k) {
      parallel_for(4, 4, [&](std::size_t) { parallel_for(3, 4, [&](std::size_t) { ++sum; }); });
    }
  };
  std::thread other(nested);
  nested();
  other.join();
  EXPECT_EQ(sum, 2 * 200 * 12);
}

}  // namespace
}  // namespace firm
