// SiteQueue: order of messages, and messages that overtake sums.
#include "federation/protocol/site_queue.h"

#include <gtest/gtest.h>

#include "federation/protocol/exchange.h"

namespace firm {
namespace {

constexpr std::size_t kChunks = 5;

ToSite sum() {
  return ToSite(Sum{{}, std::vector<std::uint32_t>(kChunks * kChunkWords), {}, false});
}

ToSite message(const std::function<void(v1::CoordinatorMessage&)>& fill) {
  v1::CoordinatorMessage m;
  fill(m);
  return ToSite(std::move(m));
}
const ToSite kWaiting = message([](auto& m) { m.mutable_waiting(); });
const ToSite kAbandon = message([](auto& m) { m.mutable_abandon(); });
const ToSite kRefusal = message([](auto& m) { m.mutable_refusal(); });

// Returns what is written, in order, when `meanwhile` is pushed after the second chunk of the first
// sum.
std::vector<v1::CoordinatorMessage::BodyCase> written(const std::vector<ToSite>& before,
                                                      const std::vector<ToSite>& meanwhile) {
  SiteQueue queue;
  for (const ToSite& what : before) queue.push(what);
  std::vector<v1::CoordinatorMessage::BodyCase> all;
  queue.send_all([&](const v1::CoordinatorMessage& m) {
    all.push_back(m.body_case());
    if (all.size() != 2) return true;
    for (const ToSite& what : meanwhile) queue.push(what);
    queue.close();
    return true;
  });
  return all;
}

constexpr auto kTotal = v1::CoordinatorMessage::kTotal;

TEST(SiteQueue, SendsInOrder) {
  std::vector<v1::CoordinatorMessage::BodyCase> expected(2 * kChunks, kTotal);
  expected.push_back(v1::CoordinatorMessage::kWaiting);
  EXPECT_EQ(written({sum(), sum()}, {kWaiting}), expected);
}

TEST(SiteQueue, EndOfAttemptOvertakesItsSums) {
  using M = v1::CoordinatorMessage;
  for (const auto& [end, body] :
       {std::pair(kAbandon, M::kAbandon), std::pair(kRefusal, M::kRefusal)}) {
    EXPECT_EQ(written({sum()}, {end}), (std::vector{kTotal, kTotal, body}));
    EXPECT_EQ(written({sum(), sum()}, {end}), (std::vector{kTotal, kTotal, body}));
    // Nothing else is lost, not even a sum of the next attempt.
    EXPECT_EQ(written({sum(), kWaiting, sum()}, {end, kWaiting}),
              (std::vector{kTotal, kTotal, M::kWaiting, body, M::kWaiting}));
    std::vector expected = {kTotal, kTotal, body};
    expected.insert(expected.end(), kChunks, kTotal);
    EXPECT_EQ(written({sum()}, {end, sum()}), expected);
  }
}

TEST(SiteQueue, KeepsNewestOfWaitingMessages) {
  SiteQueue queue;
  for (int k = 0; k < 1000; ++k) queue.push(kWaiting);
  queue.close();
  int sent = 0;
  queue.send_all([&](const v1::CoordinatorMessage&) { return ++sent > 0; });
  EXPECT_EQ(sent, 1);
}

// A site that sends but does not read would otherwise fill the coordinator's memory.
TEST(SiteQueue, EndsWhenTooMuchIsWaiting) {
  const ToSite long_message = message(
      [](auto& m) { m.mutable_abandon()->set_reason(std::string(std::size_t{1} << 25, 'x')); });
  const ToSite short_sum(Sum{{}, std::vector<std::uint32_t>(1), {}, false});
  struct Case {
    ToSite what;
    int most;
  };
  for (const auto& [what, most] :
       {Case{kAbandon, 100}, Case{long_message, 3}, Case{short_sum, 2}}) {
    int overflows = 0;
    SiteQueue queue([&overflows] { ++overflows; });
    for (int k = 0; k < most; ++k) queue.push(what);
    EXPECT_FALSE(queue.overflowed());
    for (int k = 0; k < 1000; ++k) queue.push(what);
    EXPECT_TRUE(queue.overflowed());
    EXPECT_EQ(overflows, 1);
    int sent = 0;
    queue.send_all([&](const v1::CoordinatorMessage&) { return ++sent > 0; });  // returns
    EXPECT_EQ(sent, 0);
  }
}

// Also in the middle of a sum.
TEST(SiteQueue, SendsNoMoreOfSumAfterOverflow) {
  EXPECT_EQ(written({sum()}, std::vector<ToSite>(200, kAbandon)), (std::vector{kTotal, kTotal}));
}

TEST(SiteQueue, EndsWhenWriteFails) {
  SiteQueue queue;
  queue.push(sum());
  queue.push(kWaiting);
  int tried = 0;
  queue.send_all([&](const v1::CoordinatorMessage&) { return ++tried < 2; });
  EXPECT_EQ(tried, 2);
}

}  // namespace
}  // namespace firm
