// Long shares, parts of which wait until the coordinator has acknowledged earlier parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "federation/local_federation.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

const std::vector<std::string> kSites = {"a", "b", "c"};
constexpr std::size_t kLength = 2 * kAheadWords + 3 * kChunkWords / 2;

CoordinatorOptions options() {
  CoordinatorOptions o;
  o.sites = kSites;
  o.most_words = kLength;
  o.secure = false;
  return o;
}

// Records by how many words a site was ahead of the acknowledged ones.
class WatchedChannel : public SiteChannel {
 public:
  explicit WatchedChannel(SiteChannel& next) : next_(next) {}

  void send(const v1::SiteMessage& message) override {
    if (message.share().offset() == 0) taken_ = 0;
    const std::uint64_t end =
        message.share().offset() + message.share().words().size() / sizeof(std::uint32_t);
    if (end > taken_) most_ahead_ = std::max(most_ahead_, end - taken_);
    next_.send(message);
  }
  v1::CoordinatorMessage receive() override {
    v1::CoordinatorMessage message = next_.receive();
    if (message.has_taken()) taken_ = message.taken().words();
    return message;
  }

  std::uint64_t most_ahead() const { return most_ahead_; }

 private:
  SiteChannel& next_;
  std::uint64_t taken_ = 0;
  std::uint64_t most_ahead_ = 0;
};

class LongShare : public ::testing::Test {
 protected:
  // `change` alters the messages of the coordinator to every site.
  void begin(const LocalChannel::Change& change = {}) {
    for (const std::string& site : kSites) {
      channels_.push_back(std::make_unique<LocalChannel>(coordinator_, site, change));
    }
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      v1::SiteMessage message;
      message.mutable_hello()->set_protocol(kProtocol);
      message.mutable_hello()->set_site(kSites[i]);
      channels_[i]->send(message);
    }
    for (auto& channel : channels_) {
      while (!channel->receive().has_begin()) {
      }
    }
  }

  // Calls work(collective, channel, i) at every site, each on its own thread.
  template <typename Work>
  void at_every_site(const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      threads.emplace_back([&, i] {
        WatchedChannel channel(*channels_[i]);
        Ledger ledger(directory_ / ("ledger" + kSites[i]));
        RemoteExchange exchange({&channel, &ledger, kSites[i], 1, kSites.size(), {}});
        FixedPointCollective collective(exchange);
        work(collective, channel, i);
      });
    }
  }

  TemporaryDirectory directory_;
  Coordinator coordinator_{options(), {}, {}};
  std::vector<std::unique_ptr<LocalChannel>> channels_;
};

TEST_F(LongShare, StaysWithinWindow) {
  begin();
  at_every_site([](FixedPointCollective& collective, WatchedChannel& channel, std::size_t i) {
    for (int round = 0; round < 2; ++round) {
      std::vector<float> values(kLength);
      for (std::size_t k = 0; k < kLength; ++k) values[k] = static_cast<float>((k + i) % 5);
      collective.sum(values, {});
      for (std::size_t k = 0; k < kLength; k += 10'007) {
        ASSERT_EQ(values[k], static_cast<float>(k % 5 + (k + 1) % 5 + (k + 2) % 5)) << k;
      }
    }
    EXPECT_LE(channel.most_ahead(), kAheadWords);
    EXPECT_GT(channel.most_ahead(), kAheadWords / 2);
  });
}

TEST_F(LongShare, FailsOnWrongAcknowledgement) {
  begin([](v1::CoordinatorMessage& message) {
    if (message.has_taken()) message.mutable_taken()->mutable_position()->set_exchange(1);
  });
  at_every_site([](FixedPointCollective& collective, WatchedChannel&, std::size_t) {
    std::vector<float> values(kLength, 1.0f);
    EXPECT_CONTAINS(error_of([&] { collective.sum(values, {}); }),
                    "expected exchange 0, found exchange 1");
  });
}

}  // namespace
}  // namespace firm
