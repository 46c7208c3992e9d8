// A Coordinator with three sites in this process, without masks, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "federation/local_federation.h"
#include "federation/protocol/coordinator.h"
#include "firm/error.h"
#include "firm/version.h"
#include "support/temporary_directory.h"

namespace firm {

inline const std::vector<std::string> kSites = {"a", "b", "c"};

inline v1::Term term(const std::string& field, const std::string& value) {
  v1::Term t;
  t.set_field(field);
  t.set_value(value);
  return t;
}

inline CoordinatorOptions options() {
  CoordinatorOptions o;
  o.terms = {term("image rows", "4")};
  o.sites = kSites;
  o.most_words = 1 << 20;
  o.secure = false;
  return o;
}

inline v1::SiteMessage hello(const std::string& site, const std::string& rows = "4") {
  v1::SiteMessage message;
  message.mutable_hello()->set_protocol(kProtocol);
  message.mutable_hello()->set_software(kVersion);
  message.mutable_hello()->set_site(site);
  *message.mutable_hello()->add_terms() = term("image rows", rows);
  return message;
}

inline v1::SiteMessage share(std::uint32_t attempt, std::uint64_t exchange,
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

inline v1::SiteMessage range(std::uint32_t try_number, int exponent, std::uint64_t length) {
  v1::SiteMessage message;
  message.mutable_range()->mutable_position()->set_attempt(1);
  message.mutable_range()->mutable_position()->set_try_(try_number);
  message.mutable_range()->set_exponent(exponent);
  message.mutable_range()->set_length(length);
  return message;
}

using Rays = std::vector<std::pair<int, std::uint32_t>>;  // angles and beamlets of each site

inline v1::SiteMessage with_rays(v1::SiteMessage hello, const Rays::value_type& rays) {
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
    observer.on_image = [this](const std::string& site, const std::string& name,
                               const std::vector<float>& values) {
      coordinator_->view();  // the lock is free
      images_.push_back(site + "/" + name + "/" + std::to_string(values.size()));
    };
    coordinator_ = std::make_unique<Coordinator>(o, CoordinatorState{}, observer);
  }

  // Connects all sites, sends their Hello and receives their Begin.
  void begin(const CoordinatorOptions& o = options(), const Rays& rays = Rays(3)) {
    start(o);
    for (const std::string& site : kSites) {
      channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, site));
    }
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      v1::SiteMessage message = with_rays(hello(kSites[i]), rays.at(i));
      message.mutable_hello()->set_publishes(kSites[i] == publishes_);
      channels_[i]->send(message);
    }
    for (auto& channel : channels_) {
      v1::CoordinatorMessage message = channel->receive();
      while (message.has_waiting()) message = channel->receive();
      ASSERT_TRUE(message.has_begin());
    }
  }

  // Makes the first sum of an attempt.
  void make_sum(std::uint32_t attempt = 1) {
    for (auto& channel : channels_) channel->send(share(attempt, 0, {1}));
    for (auto& channel : channels_) ASSERT_TRUE(channel->receive().has_total());
  }

  // Sends a message as site `i` and expects a refusal with `part` in its reason.
  void expect_refused(std::size_t i, const v1::SiteMessage& message, const std::string& part) {
    channels_[i]->send(message);
    v1::CoordinatorMessage answer = channels_[i]->receive();
    while (!answer.has_refusal()) answer = channels_[i]->receive();
    EXPECT_CONTAINS(answer.refusal().message(), part);
    EXPECT_THROW(channels_[i]->receive(), ChannelLost);
  }

  std::string log_;
  CoordinatorState kept_;
  std::string publishes_;            // the site that says so in begin()
  std::vector<std::string> images_;  // SITE/NAME/VALUES of those that were published
  std::unique_ptr<Coordinator> coordinator_;
  std::vector<std::unique_ptr<LocalChannel>> channels_;
};

}  // namespace firm
