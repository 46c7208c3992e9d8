// The coordinator without a network: gathering, refusals, faults.
#include <fmt/format.h>

#include "federation/coordinator_fixture.h"

namespace firm {
namespace {

// The study and the rays of its sites limit the length of shares, not the claim of a site.
TEST_F(CoordinatorTest, LimitsLengthOfShares) {
  const auto length_of = [](std::uint64_t words) {
    return share(1, 0, std::vector<std::uint32_t>(words, 1));
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
  // Scales are refined with two values for each of 3 angles, 1002 bins and 2 slices.
  o.aligned_slices = 2;
  channels_.clear();
  begin(o, rays);
  channels_[0]->send(length_of(12024));
  EXPECT_EQ(log_.find("12024"), std::string::npos) << log_;
  expect_refused(1, length_of(12025), "expected at most 12024 words, found 12025");
  channels_.clear();
  start(o);
  channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, "c"));
  expect_refused(0, with_rays(hello("c"), {1 << 14, 1 << 13}),
                 "expected at most 67108864 rays, found 134217728");
}

TEST_F(CoordinatorTest, AddsSharesOfAllSites) {
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

TEST_F(CoordinatorTest, ReportsMissingSites) {
  start();
  LocalChannel a(*coordinator_, "a");
  a.send(hello("a"));
  const v1::CoordinatorMessage message = a.receive();
  ASSERT_TRUE(message.has_waiting());
  EXPECT_EQ(message.waiting().sites_size(), 2);
  EXPECT_EQ(message.waiting().sites(0), "b");
}

// CoordinatorView, which the dashboard shows.
TEST_F(CoordinatorTest, ViewShowsPhase) {
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

TEST_F(CoordinatorTest, RefusalListsDifferencesOfStudies) {
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
  expect_refused(0, other, fmt::format("expected protocol {}", kProtocol));
  expect_refused(1, hello("a"), "expected the site of the certificate, b, found a");
  expect_refused(2, v1::SiteMessage(), "empty or unknown");
  LocalChannel stranger(*coordinator_, "z");
  EXPECT_CONTAINS(stranger.receive().refusal().message(), "found z");
}

TEST_F(CoordinatorTest, RefusesSharesThatDoNotFitExchange) {
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
    // The other sites learn that the attempt is abandoned.
    EXPECT_TRUE(channels_[1]->receive().has_abandon());
  }
}

TEST_F(CoordinatorTest, AcceptsResentShareButNotDifferentOne) {
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

TEST_F(CoordinatorTest, AcceptsResentRangeButNotDifferentOne) {
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
  channels_.clear();
  begin();
  expect_refused(0, range(0, -300, 5), "expected an exponent from -200 to 200, found -300");
}

TEST_F(CoordinatorTest, StartsNewAttemptWhenSiteIsLost) {
  begin();
  channels_[2]->disconnect();
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

// A reason that ends in half a character would be no message for protobuf, and the sites would wait
// for ever.
TEST_F(CoordinatorTest, PassesOnReasonsThatEverySiteCanRead) {
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message(std::string(299, 'x') + "\xc3\xa9");
  begin();
  channels_[1]->send(failure);
  const v1::CoordinatorMessage sent = channels_[0]->receive();
  ASSERT_TRUE(sent.has_abandon());
  v1::CoordinatorMessage read;
  EXPECT_TRUE(read.ParseFromString(sent.SerializeAsString()));
  EXPECT_EQ(read.abandon().reason(), "b cannot continue: " + std::string(299, 'x') + " ...");
}

TEST_F(CoordinatorTest, FinishesWhenAllSitesAreDone) {
  begin();
  make_sum();
  v1::SiteMessage done;
  done.mutable_done()->set_run(kept_.run);
  for (auto& channel : channels_) {
    EXPECT_FALSE(coordinator_->finished());
    channel->send(done);
  }
  EXPECT_TRUE(coordinator_->finished());
  for (auto& channel : channels_) EXPECT_TRUE(channel->receive().has_finished());
}

TEST_F(CoordinatorTest, StopsWhenStateCannotBeSaved) {
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
  // No message mentions state that a restart would lose.
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(channels_[2]->receive().has_waiting()) << k;
  EXPECT_THROW(channels_[2]->receive(), ChannelLost);
  channels_.clear();
}

// The sites have their results, and the coordinator was restarted.
TEST_F(CoordinatorTest, StartsNewAttemptForUnpublishedImages) {
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

}  // namespace
}  // namespace firm
