// Forecast of the end of a run: the round, by the trend of its stop rules, and the remaining
// seconds.
#include "solve/stop_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "run/remaining_time.h"

namespace firm {
namespace {

// ---- rounds ------------------------------------------------------------------------------------

template <typename Value>
RuleTrend after(int rounds, const Value& value) {
  RuleTrend trend;
  for (int k = 0; k <= rounds; ++k) trend.add(k, value(k));
  return trend;
}

TEST(RuleTrend, ExtrapolatesGeometricDecay) {
  // 1000 * 0.99^k is 1 at k = 687.3.
  const auto value = [](int k) { return 1000 * std::pow(0.99, k); };
  for (const int rounds : {10, 50, 100, 400, 680}) {
    EXPECT_NEAR(after(rounds, value).end(), 688, 1) << rounds;
  }
}

TEST(RuleTrend, ExtrapolatesPowerLaw) {
  // 1e4 / (1 + k)^1.5 is 1 at k = 463.2.
  const auto value = [](int k) { return 1e4 / std::pow(1 + k, 1.5); };
  for (const int rounds : {10, 50, 100, 400}) {
    EXPECT_NEAR(after(rounds, value).end(), 464, 1) << rounds;
  }
}

TEST(RuleTrend, UsesNewerRounds) {
  // Slow from round 100 on: 10 * 0.999^(k - 100) is 1 at k = 2401.4.
  const auto value = [](int k) {
    return k < 100 ? 10 * std::pow(0.9, k - 100) : 10 * std::pow(0.999, k - 100);
  };
  EXPECT_NEAR(after(1000, value).end(), 2402, 2);
}

TEST(RuleTrend, IsUnknownWithoutDecay) {
  EXPECT_EQ(after(5, [](int k) { return std::pow(0.9, k) * 100; }).end(), 0);
  EXPECT_EQ(after(100, [](int) { return 7.0; }).end(), 0);
  EXPECT_EQ(after(100, [](int k) { return 1.0 + k; }).end(), 0);
  EXPECT_EQ(after(100, [](int k) { return 0.5 / (1 + k); }).end(), 0);  // it holds already
  EXPECT_EQ(after(100, [](int) { return std::nan(""); }).end(), 0);
}

TEST(StopForecast, NamesFirstRuleToHold) {
  StopOptions rules;
  rules.kkt = 1e-3;
  rules.discrepancy = 0.01;
  rules.change = 1e-30;
  StopForecast forecast(rules);
  for (int k = 0; k <= 50; ++k) {
    RoundMetrics now{k, std::pow(0.9, k), 1, std::pow(0.9, k), {}, 1};
    forecast.add(now, k > 0 ? std::optional(std::pow(0.9, k - 1)) : std::nullopt,
                 2 * std::pow(0.99, k));
  }
  // 0.9^k = 1e-3 at k = 65.6; 2 * 0.99^k = 1 at k = 69.0.
  EXPECT_NEAR(forecast.end(), 66, 1);
  rules.kkt = 1e-4;
  StopForecast slower(rules);
  for (int k = 0; k <= 50; ++k) {
    slower.add({k, 1, 1, std::pow(0.9, k), {}, 1}, 1, 2 * std::pow(0.99, k));
  }
  EXPECT_NEAR(slower.end(), 69, 1);
  EXPECT_EQ(StopForecast({}).end(), 0);
}

// ---- seconds -----------------------------------------------------------------------------------

RoundRecord record(int round, double seconds, int end, bool limit) {
  RoundRecord r;
  r.round = round;
  r.seconds = seconds;
  r.end = end;
  r.end_is_limit = limit;
  return r;
}

TEST(RemainingTime, FollowsRoundLimit) {
  RemainingTime remaining;
  remaining.start({}, 100);
  EXPECT_FALSE(remaining.left(record(0, 0, 50, true), 101));
  const auto left = remaining.left(record(10, 20, 50, true), 121);  // 2 s per round
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->seconds, 80);
  EXPECT_TRUE(left->at_most);
  EXPECT_DOUBLE_EQ(left->done, 0.2);
  EXPECT_FALSE(remaining.left(record(11, 22, 50, false), 123)->at_most);
  EXPECT_FALSE(remaining.left(record(12, 24, 0, false), 125));
  EXPECT_FALSE(remaining.left(record(50, 100, 50, true), 201));
}

// A resumed run has done some rounds, and 1000 seconds, before this program.
TEST(RemainingTime, CountsFromStartOfResumedRun) {
  RemainingTime remaining;
  remaining.start({}, 3);
  remaining.left(record(500, 1000, 1000, true), 3);
  const auto left = remaining.left(record(510, 1010, 1000, true), 13);
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->seconds, 490);
  EXPECT_DOUBLE_EQ(left->done, 0.51);
}

TEST(RemainingTime, FollowsTimeLimit) {
  RemainingTime remaining;
  remaining.start({0, 1, 60}, 0);
  remaining.left(record(0, 0, 0, false), 0);
  auto left = remaining.left(record(10, 20, 0, false), 20);
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->seconds, 40);
  EXPECT_TRUE(left->at_most);
  EXPECT_DOUBLE_EQ(left->done, 1.0 / 3);
  left = remaining.left(record(10, 20, 15, false), 20);  // ends before
  EXPECT_DOUBLE_EQ(left->seconds, 10);
  EXPECT_FALSE(left->at_most);
}

TEST(RemainingTime, IncludesLaterChunks) {
  RemainingTime remaining;
  remaining.start({0, 4}, 0);
  remaining.left(record(0, 0, 20, true), 10);  // reading took 10 s
  auto left = remaining.left(record(10, 10, 20, true), 20);
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->seconds, 10 + 3 * 30);  // 30 s a chunk
  EXPECT_FALSE(left->at_most);
  EXPECT_DOUBLE_EQ(left->done, 0.125);
  remaining.start({1, 4}, 50);  // it was 50 s
  remaining.left(record(0, 0, 20, true), 50);
  left = remaining.left(record(10, 15, 20, true), 65);
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->seconds, 15 + 2 * (50 + 30) / 2);
  EXPECT_DOUBLE_EQ(left->done, 1.5 / 4);
  remaining.start({3, 4}, 100);
  remaining.left(record(0, 0, 20, true), 100);
  left = remaining.left(record(10, 10, 20, true), 110);
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->seconds, 10);
  EXPECT_TRUE(left->at_most);
}

}  // namespace
}  // namespace firm
