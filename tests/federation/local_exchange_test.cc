// Sums between the threads of one process.
#include "federation/transport/local_exchange.h"

#include <gtest/gtest.h>

#include <thread>

#include "federation/sums/fixed_point_collective.h"

namespace firm {
namespace {

class LocalAllreduceTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kThreads = 3;

  template <typename Work>
  void in_every_thread(const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { work(i); });
  }

  OneProcess alone_;
  int asked_ = 0;
  LocalAllreduce allreduce_{alone_, {kThreads, kThreads, 1}, [this] { return ++asked_ == 5; }};
};

TEST_F(LocalAllreduceTest, SumsManyTimes) {
  std::vector<std::vector<float>> last(kThreads);
  in_every_thread([&](std::size_t i) {
    LocalExchange exchange(allreduce_);
    FixedPointCollective collective(exchange);
    int checkpoints = 0;
    for (int k = 0; k < 2000; ++k) {
      std::vector<float> values(5, static_cast<float>(i + 1) * static_cast<float>(k % 7));
      double scalar = 1e-12 * k;
      collective.sum(values, {&scalar, 1});
      ASSERT_NEAR(values[4], 6.0f * static_cast<float>(k % 7), 1e-4f);
      ASSERT_DOUBLE_EQ(scalar, 3e-12 * k);
      if (exchange.checkpoint_asked()) ++checkpoints;
      last[i] = values;
    }
    EXPECT_EQ(checkpoints, 1);  // in all threads, when the first process asks for it
  });
  EXPECT_EQ(last[0], last[1]);
  EXPECT_EQ(last[0], last[2]);
}

TEST_F(LocalAllreduceTest, FailsForAllWhenOneFails) {
  in_every_thread([&](std::size_t i) {
    LocalExchange exchange(allreduce_);
    FixedPointCollective collective(exchange);
    std::vector<float> values(5, 1.0f);
    collective.sum(values, {});
    if (i == 1) {
      allreduce_.fail();
    } else {
      EXPECT_THROW(collective.sum(values, {}), PeerFailed);
    }
  });
}

}  // namespace
}  // namespace firm
