// The coordinator and sums through it, without a network: agreement, refusals, faults.
#include "federation/protocol/coordinator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "firm/error.h"
#include "firm/version.h"
#include "federation/local_federation.h"
#include "sim/noise.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

const std::vector<std::string> kSites = {"a", "b", "c"};

v1::Term term(const std::string& field, const std::string& value) {
  v1::Term t;
  t.set_field(field);
  t.set_value(value);
  return t;
}

CoordinatorOptions options() {
  CoordinatorOptions o;
  o.terms = {term("image rows", "4")};
  o.sites = kSites;
  o.most_words = 1 << 20;
  o.secure = false;
  return o;
}

v1::SiteMessage hello(const std::string& site, const std::string& rows = "4") {
  v1::SiteMessage message;
  message.mutable_hello()->set_protocol(kProtocol);
  message.mutable_hello()->set_software(kVersion);
  message.mutable_hello()->set_site(site);
  *message.mutable_hello()->add_terms() = term("image rows", rows);
  return message;
}

v1::SiteMessage share(std::uint32_t attempt, std::uint64_t exchange,
                      const std::vector<std::uint32_t>& words) {
  v1::SiteMessage message;
  v1::Share& s = *message.mutable_share();
  s.mutable_position()->set_attempt(attempt);
  s.mutable_position()->set_exchange(exchange);
  s.set_length(words.size());
  s.set_words(words.data(), words.size() * sizeof(std::uint32_t));
  s.set_scalars(std::string(kScalarBytes, '\1'));
  s.set_last(true);
  return message;
}

using Rays = std::vector<std::pair<int, std::uint32_t>>;  // angles and beamlets, of each site

v1::SiteMessage with_rays(v1::SiteMessage hello, const Rays::value_type& rays) {
  v1::Geometry& geometry = *hello.mutable_hello()->mutable_geometry();
  geometry.mutable_angles()->Resize(rays.first, 0.0);
  geometry.set_beamlets(rays.second);
  return hello;
}

class CoordinatorTest : public ::testing::Test {
 protected:
  void start(const CoordinatorOptions& o = options()) {
    CoordinatorObserver observer;
    observer.on_event = [this](const std::string& line) { log_ += line + "\n"; };
    observer.keep = [this](const CoordinatorState& s) { kept_ = s; };
    coordinator_ = std::make_unique<Coordinator>(o, CoordinatorState{}, observer);
  }

  // All sites connected and greeted; their Begin is taken.
  void begin(const CoordinatorOptions& o = options(), const Rays& rays = Rays(3)) {
    start(o);
    for (const std::string& site : kSites) {
      channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, site));
    }
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      channels_[i]->send(with_rays(hello(kSites[i]), rays.at(i)));
    }
    for (auto& channel : channels_) {
      v1::CoordinatorMessage message = channel->receive();
      while (message.has_waiting()) message = channel->receive();
      ASSERT_TRUE(message.has_begin());
    }
  }

  // A message of site `i` that is refused, with this in the reason.
  void expect_refused(std::size_t i, const v1::SiteMessage& message, const std::string& part) {
    channels_[i]->send(message);
    v1::CoordinatorMessage answer = channels_[i]->receive();
    while (!answer.has_refusal()) answer = channels_[i]->receive();
    EXPECT_CONTAINS(answer.refusal().message(), part);
    EXPECT_THROW(channels_[i]->receive(), ChannelLost);
  }

  std::string log_;
  CoordinatorState kept_;
  std::unique_ptr<Coordinator> coordinator_;
  std::vector<std::unique_ptr<LocalChannel>> channels_;
};

// Shares are bounded by what the study and the rays of its sites need, not by what one claims.
TEST_F(CoordinatorTest, TakesNoLongerSharesThanTheStudyHas) {
  const auto length_of = [](std::uint64_t words) {
    v1::SiteMessage message = share(1, 0, {1, 2, 3});
    message.mutable_share()->set_length(words);
    message.mutable_share()->set_last(false);
    message.mutable_share()->clear_scalars();
    return message;
  };
  CoordinatorOptions o = options();
  o.most_words = 100;
  o.rays_of = "c";
  o.slices = 7;
  const Rays rays = {{9, 1000}, {9, 1000}, {3, 10}};
  for (const std::uint64_t words : {210u, 211u}) {
    channels_.clear();
    begin(o, rays);
    if (words == 210) {
      channels_[0]->send(length_of(words));
      EXPECT_EQ(log_.find("refused"), std::string::npos) << log_;
    } else {
      expect_refused(0, length_of(words), "expected at most 210 words, found 211");
      v1::SiteMessage range;
      range.mutable_range()->mutable_position()->set_attempt(1);
      range.mutable_range()->set_length(words);
      channels_.clear();
      begin(o, rays);
      expect_refused(1, range, "expected at most 210 words, found 211");
    }
  }
  channels_.clear();
  start(o);
  channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, "c"));
  expect_refused(0, with_rays(hello("c"), {1 << 14, 1 << 13}),
                 "expected at most 67108864 rays, found 134217728");
}

TEST_F(CoordinatorTest, AddsUpWhatAllSitesSend) {
  begin();
  for (std::size_t i = 0; i < 3; ++i) {
    channels_[i]->send(share(1, 0, {1, 0xffffffff, static_cast<std::uint32_t>(i)}));
  }
  for (auto& channel : channels_) {
    const v1::CoordinatorMessage message = channel->receive();
    ASSERT_TRUE(message.has_total());
    std::uint32_t words[3];
    ASSERT_EQ(message.total().words().size(), sizeof(words));
    std::memcpy(words, message.total().words().data(), sizeof(words));
    EXPECT_EQ(words[0], 3u);
    EXPECT_EQ(words[1], 0xfffffffdu);
    EXPECT_EQ(words[2], 3u);
    EXPECT_EQ(message.total().scalars(), std::string(kScalarBytes, '\3'));
  }
}

TEST_F(CoordinatorTest, WaitsForAllSitesAndSaysForWhom) {
  start();
  LocalChannel a(*coordinator_, "a");
  a.send(hello("a"));
  const v1::CoordinatorMessage message = a.receive();
  ASSERT_TRUE(message.has_waiting());
  EXPECT_EQ(message.waiting().sites_size(), 2);
  EXPECT_EQ(message.waiting().sites(0), "b");
}

// What people see of it.
TEST_F(CoordinatorTest, SaysWhetherItGathersAgreesOrAdds) {
  start();
  EXPECT_FALSE(coordinator_->view().agreeing || coordinator_->view().running);
  begin();
  EXPECT_TRUE(coordinator_->view().running);
  EXPECT_FALSE(coordinator_->view().agreeing);
  channels_.clear();
  CoordinatorOptions secure = options();
  secure.secure = true;
  begin(secure);
  EXPECT_TRUE(coordinator_->view().agreeing);
  EXPECT_FALSE(coordinator_->view().running);
}

TEST_F(CoordinatorTest, ShowsWhereStudiesDiffer) {
  start();
  channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, "a"));
  expect_refused(0, hello("a", "5"), "image rows: expected 4, found 5");
}

TEST_F(CoordinatorTest, RefusesOtherVersionsNamesAndSites) {
  start();
  for (const std::string& site : kSites) {
    channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, site));
  }
  v1::SiteMessage other = hello("a");
  other.mutable_hello()->set_protocol(kProtocol + 1);
  expect_refused(0, other, "expected protocol 3");
  expect_refused(1, hello("a"), "expected the site of the certificate, b, found a");
  expect_refused(2, v1::SiteMessage(), "empty or unknown");
  LocalChannel stranger(*coordinator_, "z");
  EXPECT_CONTAINS(stranger.receive().refusal().message(), "found z");
}

TEST_F(CoordinatorTest, RefusesWhatDoesNotFitTheExchange) {
  struct Case {
    v1::SiteMessage message;
    std::string part;
  };
  std::vector<Case> cases;
  cases.push_back({share(2, 0, {1}), "expected attempt 1"});
  cases.push_back({share(1, 1, {1}), "expected exchange 0"});
  cases.push_back({share(1, 0, std::vector<std::uint32_t>(kChunkWords + 1)), "in a chunk"});
  v1::SiteMessage odd = share(1, 0, {1});
  odd.mutable_share()->mutable_words()->push_back('x');
  cases.push_back({odd, "whole words"});
  v1::SiteMessage late = share(1, 0, {1, 2});
  late.mutable_share()->set_offset(1);
  cases.push_back({late, "words from 0 on"});
  v1::SiteMessage short_one = share(1, 0, {1, 2});
  short_one.mutable_share()->set_length(3);
  cases.push_back({short_one, "of 3 words in all"});
  v1::SiteMessage huge = share(1, 0, {1});
  huge.mutable_share()->set_length(std::uint64_t{1} << 40);
  cases.push_back({huge, "at most"});
  v1::SiteMessage scalars = share(1, 0, {1});
  scalars.mutable_share()->set_scalars("abc");
  cases.push_back({scalars, "expected scalars"});
  scalars.mutable_share()->set_scalars(std::string((kMostScalars + 1) * kScalarBytes, '\1'));
  cases.push_back({scalars, "at most 4096"});
  cases.push_back({hello("a"), "found it within one"});
  v1::SiteMessage done;
  done.mutable_done()->set_run("other");
  cases.push_back({done, "found that of 'other'"});
  for (const Case& c : cases) {
    channels_.clear();
    begin();
    expect_refused(0, c.message, c.part);
    EXPECT_CONTAINS(log_, "refused");
    // The others are told that they have to begin again.
    EXPECT_TRUE(channels_[1]->receive().has_abandon());
  }
}

TEST_F(CoordinatorTest, TakesTheSameShareTwiceButNotAnother) {
  begin();
  channels_[0]->send(share(1, 0, {7}));
  channels_[0]->send(share(1, 0, {7}));
  channels_[1]->send(share(1, 0, {1}));
  channels_[2]->send(share(1, 0, {1}));
  std::uint32_t sum = 0;
  std::memcpy(&sum, channels_[0]->receive().total().words().data(), sizeof(sum));
  EXPECT_EQ(sum, 9u);
  channels_[0]->send(share(1, 1, {7}));
  expect_refused(0, share(1, 1, {8}), "the same words as before");
}

TEST_F(CoordinatorTest, TakesTheSameRangeTwiceButNotAnother) {
  const auto range = [](std::uint64_t exchange, int exponent, std::uint64_t length) {
    v1::SiteMessage message;
    message.mutable_range()->mutable_position()->set_attempt(1);
    message.mutable_range()->mutable_position()->set_exchange(exchange);
    message.mutable_range()->set_exponent(exponent);
    message.mutable_range()->set_length(length);
    return message;
  };
  begin();
  channels_[0]->send(range(0, 3, 5));
  channels_[0]->send(range(0, 3, 5));
  for (const std::size_t i : {1u, 2u}) channels_[i]->send(range(0, 2, 5));
  for (auto& channel : channels_) EXPECT_TRUE(channel->receive().has_scale());
  EXPECT_EQ(log_.find("refused"), std::string::npos) << log_;
  for (const auto& other : {range(0, 4, 5), range(0, 3, 6), share(1, 0, {1, 2, 3, 4, 5})}) {
    channels_.clear();
    begin();
    channels_[0]->send(range(0, 3, 5));
    expect_refused(0, other, "found");
    EXPECT_CONTAINS(log_, "a: refused");
  }
}

TEST_F(CoordinatorTest, BeginsAgainWhenASiteIsLost) {
  begin();
  channels_[2]->leave();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(channels_[i]->receive().has_abandon());
  channels_[2] = std::make_unique<LocalChannel>(*coordinator_, "c");
  for (std::size_t i = 0; i < 3; ++i) {
    v1::SiteMessage again = hello(kSites[i]);
    again.mutable_hello()->set_run(kept_.run);
    // Common rounds are 20 and 30.
    for (const std::uint64_t round : {20, 30}) again.mutable_hello()->add_checkpoints(round);
    again.mutable_hello()->add_checkpoints(i == 0 ? 40 : 10);
    channels_[i]->send(again);
  }
  for (auto& channel : channels_) {
    v1::CoordinatorMessage message = channel->receive();
    while (message.has_waiting()) message = channel->receive();
    ASSERT_TRUE(message.has_begin());
    EXPECT_EQ(message.begin().attempt(), 2u);
    EXPECT_EQ(message.begin().round(), 30u);
    EXPECT_EQ(message.begin().run(), kept_.run);
  }
  EXPECT_EQ(kept_.attempt, 2u);
}

TEST_F(CoordinatorTest, FinishesWhenAllSitesAreDone) {
  begin();
  v1::SiteMessage done;
  done.mutable_done()->set_run(kept_.run);
  for (auto& channel : channels_) {
    EXPECT_FALSE(coordinator_->finished());
    channel->send(done);
  }
  EXPECT_TRUE(coordinator_->finished());
  for (auto& channel : channels_) EXPECT_TRUE(channel->receive().has_finished());
}

TEST_F(CoordinatorTest, StopsWhenItsStateCannotBeKept) {
  CoordinatorObserver observer;
  observer.keep = [](const CoordinatorState&) {
    throw data_error({"coordinator.json", "", "room", "none"});
  };
  Coordinator coordinator(options(), {}, observer);
  for (const std::string& site : kSites) {
    channels_.push_back(std::make_unique<LocalChannel>(coordinator, site));
  }
  EXPECT_FALSE(coordinator.failure());
  for (std::size_t i = 0; i < kSites.size(); ++i) channels_[i]->send(hello(kSites[i]));
  ASSERT_TRUE(coordinator.failure());
  EXPECT_CONTAINS(std::string(coordinator.failure()->what()), "coordinator.json: expected room");
  // Nothing was said that would not be known after a restart.
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(channels_[2]->receive().has_waiting()) << k;
  EXPECT_THROW(channels_[2]->receive(), ChannelLost);
  channels_.clear();
}

// Sites that have their results, at a coordinator that has been restarted.
TEST_F(CoordinatorTest, BeginsAgainForImagesThatAreStillToBePublished) {
  for (const bool publishes : {false, true}) {
    Coordinator coordinator(options(), {"run", 1, false}, {});
    for (const std::string& site : kSites) {
      channels_.push_back(std::make_unique<LocalChannel>(coordinator, site));
    }
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      v1::SiteMessage message = hello(kSites[i]);
      message.mutable_hello()->set_run("run");
      message.mutable_hello()->set_done(true);
      message.mutable_hello()->set_publishes(publishes && i == 1);
      channels_[i]->send(message);
    }
    EXPECT_EQ(coordinator.finished(), !publishes);
    channels_.clear();
  }
}

// --- sums over it

class Sums : public CoordinatorTest {
 protected:
  // Calls work(collective, i) at every site, each on its own thread.
  template <typename Work>
  void at_every_site(const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      threads.emplace_back([&, i] {
        Ledger ledger(directory_ / ("ledger" + kSites[i]));
        RemoteExchange exchange({channels_[i].get(), &ledger, kSites[i], 1, kSites.size(), {}});
        FixedPointCollective collective(exchange);
        work(collective, i);
      });
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(Sums, AreThoseOfAllSitesAtEverySite) {
  begin();
  constexpr std::size_t kLength = 3 * kChunkWords / 2;
  std::vector<std::vector<float>> shares(3, std::vector<float>(kLength));
  std::vector<double> expected(kLength, 0.0);
  Random random(1, 0);
  for (auto& share_of_site : shares) {
    for (std::size_t k = 0; k < kLength; ++k) {
      share_of_site[k] = static_cast<float>(random.normal());
      expected[k] += static_cast<double>(share_of_site[k]);
    }
  }
  std::vector<std::vector<float>> sums = shares;
  at_every_site([&](FixedPointCollective& collective, std::size_t i) {
    double scalars[2] = {1e-20 * static_cast<double>(i + 1), static_cast<double>(i)};
    collective.sum(sums[i], scalars);
    EXPECT_EQ(scalars[1], 3);
    EXPECT_NEAR(scalars[0], 6e-20, 1e-34);
    collective.sum({}, scalars);
    EXPECT_EQ(scalars[1], 9);
  });
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
  for (std::size_t k = 0; k < kLength; k += 97) {
    EXPECT_NEAR(static_cast<double>(sums[0][k]), expected[k], 1e-6);
  }
}

TEST_F(Sums, TakeAnotherScaleWhenValuesGrowOrShrink) {
  begin();
  at_every_site([&](FixedPointCollective& collective, std::size_t i) {
    for (const float size : {1.0f, 1e-3f, 1e4f, 1e9f, 1e-9f, 1.0f}) {
      std::vector<float> values(10);
      // The first sum of smaller values still has the coarser scale.
      for (int k = 0; k < 2; ++k) {
        std::fill(values.begin(), values.end(), i == 1 ? size : -size / 1024);
        collective.sum(values, {});
      }
      EXPECT_NEAR(static_cast<double>(values[3] / size), 1 - 2.0 / 1024, 1e-6) << size;
    }
  });
}

TEST_F(Sums, CatchWhatIsNotFinite) {
  begin();
  at_every_site([&](FixedPointCollective& collective, std::size_t i) {
    std::vector<float> values(10, 1.0f);
    if (i == 1) {
      values[4] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_THROW(collective.sum(values, {}), Error);
      channels_[i]->leave();
    } else {
      EXPECT_THROW(collective.sum(values, {}), AttemptAbandoned);
    }
  });
}

TEST_F(Sums, HaveALineInTheLedgerForEveryMessage) {
  begin();
  at_every_site([&](FixedPointCollective& collective, std::size_t) {
    std::vector<float> values(10, 1.0f);
    collective.sum(values, {});
  });
  const std::string lines = file_content(directory_ / "ledgera");
  EXPECT_CONTAINS(lines, "\"kind\":\"range\"");
  EXPECT_CONTAINS(lines, "\"kind\":\"share\"");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

}  // namespace
}  // namespace firm
