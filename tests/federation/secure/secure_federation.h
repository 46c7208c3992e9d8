// Three sites that sum through a Coordinator within this process, with the certificates, keys and
// masks of a real run.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <thread>

#include "federation/local_federation.h"
#include "federation/protocol/key_exchange.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "firm/error.h"
#include "support/certificates.h"

namespace firm {

// Records the messages that a site sends and receives.
class TappedChannel : public SiteChannel {
 public:
  struct Tape {
    std::vector<v1::SiteMessage> sent;
    std::vector<v1::CoordinatorMessage> received;
  };

  TappedChannel(SiteChannel& next, Tape& tape) : next_(next), tape_(tape) {}
  void send(const v1::SiteMessage& message) override {
    tape_.sent.push_back(message);
    next_.send(message);
  }
  v1::CoordinatorMessage receive() override {
    tape_.received.push_back(next_.receive());
    return tape_.received.back();
  }

 private:
  SiteChannel& next_;
  Tape& tape_;
};

class SecureFederation : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 3;
  const std::vector<std::string> sites_ = {"a", "b", "c"};

  // The work of a site in an attempt, with its objects.
  struct AtSite {
    std::size_t number;
    SiteChannel& channel;
    RemoteExchange& exchange;
    FixedPointCollective& collective;
  };
  using Work = std::function<void(const AtSite&)>;

  // The end of a site's work.
  struct Ending {
    std::string text;  // of the error; empty: no error
    std::optional<Error::Kind> kind;
    bool abandoned = false;
    bool wrong_sum = false;
  };

  void start(bool secure = true) {
    CoordinatorOptions options;
    options.sites = sites_;
    options.most_words = 1 << 22;
    options.secure = secure;
    coordinator_ =
        std::make_unique<Coordinator>(options, CoordinatorState{}, CoordinatorObserver{});
    credentials_.clear();
    for (const std::string& site : sites_) credentials_.push_back(certificates_.of(site));
  }

  // Runs one attempt of all sites, each on its own thread. A site that fails says whether a sum was
  // wrong, as `firm site` does, and disconnects.
  std::vector<Ending> attempt(const Work& work) {
    for (TappedChannel::Tape& tape : tapes_) tape = {};
    std::vector<std::unique_ptr<LocalChannel>> channels;
    for (std::size_t i = 0; i < kCount; ++i) {
      channels.push_back(
          std::make_unique<LocalChannel>(*coordinator_, sites_[i], changes_[i], changes_sent_[i]));
    }
    std::vector<Ending> endings(kCount);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kCount; ++i) {
      threads.emplace_back([&, i] {
        endings[i] = take_part(i, *channels[i], work);
        if (endings[i].wrong_sum) {
          v1::SiteMessage failure;
          failure.mutable_failure()->set_wrong_sum(true);
          channels[i]->send(failure);
        }
        if (!endings[i].text.empty()) channels[i]->disconnect();
      });
    }
    threads.clear();
    return endings;
  }

  // Runs an attempt in which no site may fail.
  void good_attempt(const Work& work) {
    for (const Ending& ending : attempt(work)) EXPECT_EQ(ending.text, "");
  }

  // The directory of a site, with its ledger.
  std::string home(std::size_t i) const { return directory_ / sites_[i]; }

  bool keep_shares_ = false;
  Certificates certificates_{sites_};
  std::vector<Credentials> credentials_;
  std::unique_ptr<Coordinator> coordinator_;
  std::vector<LocalChannel::Change> changes_{kCount};  // to messages of the coordinator, by site
  std::vector<LocalChannel::ChangeSent> changes_sent_{kCount};  // to messages of the sites
  std::vector<TappedChannel::Tape> tapes_{kCount};              // of the last attempt
  std::vector<std::string> studies_{kCount, "study"};           // hash of the study of each site
  std::vector<SumChain> totals_{kCount};                        // in the checkpoint of each site
  std::map<std::string, std::string> keys_;                     // key fingerprints in the study

 private:
  Ending take_part(std::size_t i, LocalChannel& channel, const Work& work) {
    try {
      TappedChannel tapped(channel, tapes_[i]);
      std::filesystem::create_directories(home(i));
      Ledger ledger(home(i) + "/ledger.jsonl");
      std::optional<KeptShares> kept;
      if (keep_shares_) kept.emplace(home(i) + "/shares");
      const v1::Begin begin = greet(sites_[i], tapped);
      RemoteExchange exchange =
          join_attempt({tapped, ledger, credentials_[i], sites_[i], studies_[i], keys_, false,
                        totals_[i], kept ? &*kept : nullptr},
                       begin);
      FixedPointCollective collective(exchange);
      work({i, tapped, exchange, collective});
      return {};
    } catch (const AttemptAbandoned& e) {
      return {e.what(), {}, true};
    } catch (const WrongSum& e) {
      return {e.what(), e.kind(), false, true};
    } catch (const Error& e) {
      return {e.what(), e.kind(), false};
    } catch (const std::exception& e) {
      return {e.what(), {}, false};
    }
  }

  static v1::Begin greet(const std::string& site, SiteChannel& channel) {
    v1::SiteMessage hello;
    hello.mutable_hello()->set_protocol(kProtocol);
    hello.mutable_hello()->set_site(site);
    channel.send(hello);
    v1::CoordinatorMessage message = channel.receive();
    while (!message.has_begin()) message = channel.receive();
    return message.begin();
  }

  TemporaryDirectory directory_;
};

}  // namespace firm
