#include "core/interruption.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/parallel.h"

namespace firm {
namespace {

void work_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

TEST(Interruption, EndsParallelLoop) {
  for (const int threads : {1, 3}) {
    std::atomic<int> done = 0;
    const InterruptionScope scope([&] { return done >= 10; });
    EXPECT_THROW(parallel_for(100000, threads,
                              [&](std::size_t) {
                                ++done;
                                work_a_little();
                              }),
                 Interrupted);
    EXPECT_GE(done, 10);
    EXPECT_LT(done, 5000);
  }
}

// Tasks must not throw: only the outermost loop does, when all its threads have returned.
TEST(Interruption, EndsLoopWithinTask) {
  std::atomic<int> done = 0;
  const InterruptionScope scope([&] { return done >= 10; });
  std::atomic<int> returned = 0;
  const auto inner = [&](std::size_t) {
    parallel_for(10000, 2, [&](std::size_t) {
      ++done;
      work_a_little();
    });
    ++returned;
  };
  EXPECT_THROW(parallel_for(3, 2, inner), Interrupted);
  EXPECT_GE(returned, 1);
  EXPECT_LT(done, 5000);
}

TEST(Interruption, AsksOnItsOwnThreadOnly) {
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<bool> elsewhere = false;
  const InterruptionScope scope([&] {
    if (std::this_thread::get_id() != own) elsewhere = true;
    return false;
  });
  parallel_for(200, 3, [&](std::size_t) { work_a_little(); });
  EXPECT_FALSE(elsewhere);
}

TEST(Interruption, LeavesOtherThreadsAndSuspendedCodeAlone) {
  const InterruptionScope scope([] { return true; });
  int done = 0;
  std::thread([&] { parallel_for(5, 1, [&](std::size_t) { ++done; }); }).join();
  EXPECT_EQ(done, 5);
  {
    const UninterruptedScope rounds;
    parallel_for(5, 1, [&](std::size_t) { ++done; });
    check_interruption();
  }
  EXPECT_EQ(done, 10);
  EXPECT_THROW(check_interruption(), Interrupted);
}

TEST(Interruption, EndsWithItsScope) {
  {
    const InterruptionScope scope([] { return true; });
    EXPECT_THROW(check_interruption(), Interrupted);
    EXPECT_TRUE(current_interruption()());
  }
  EXPECT_FALSE(current_interruption());
  check_interruption();
  const InterruptionScope none(nullptr);
  check_interruption();
}

}  // namespace
}  // namespace firm
