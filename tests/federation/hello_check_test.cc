// A site that says nonsense about itself is refused alone, by field; the others keep waiting.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>

#include "federation/coordinator_fixture.h"
#include "federation/protocol/member_check.h"

namespace firm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

StudyFile three_sites() {
  StudyFile file;
  file.rows = file.columns = 4;
  file.pixel_size = 0.5;
  for (const std::string& name : kSites) {
    SiteEntry entry;
    entry.name = name;
    entry.noise = Noise::kEstimated;
    file.sites.push_back(entry);
  }
  return file;
}

v1::Hello valid() {
  v1::Hello hello;
  v1::Geometry& geometry = *hello.mutable_geometry();
  for (const double angle : {0.0, 1.0, 2.0}) geometry.add_angles(angle);
  geometry.set_beamlets(6);
  geometry.set_spacing(0.5);
  geometry.set_rotation_axis(3);
  hello.mutable_noise()->set_sigma(0.01);
  return hello;
}

struct Nonsense {
  const char* part;  // of the refusal
  std::function<void(v1::Hello&)> make;
};

const std::vector<Nonsense> kNonsense = {
    {"noise of b: expected a finite sigma above 0, found nan",
     [](v1::Hello& h) { h.mutable_noise()->set_sigma(kNan); }},
    {"found inf", [](v1::Hello& h) { h.mutable_noise()->set_sigma(kInfinity); }},
    {"found 0", [](v1::Hello& h) { h.mutable_noise()->set_sigma(0); }},
    {"found -1", [](v1::Hello& h) { h.mutable_noise()->set_sigma(-1); }},
    {"found 1e-200", [](v1::Hello& h) { h.mutable_noise()->set_sigma(1e-200); }},
    {"noise of b: ", [](v1::Hello& h) { h.clear_noise(); }},
    {"geometry of b: expected angles[1] to be a finite number",
     [](v1::Hello& h) { h.mutable_geometry()->set_angles(1, kNan); }},
    {"angles[2]", [](v1::Hello& h) { h.mutable_geometry()->set_angles(2, kInfinity); }},
    {"angles[0]", [](v1::Hello& h) { h.mutable_geometry()->set_angles(0, 1e9); }},
    {"at most 67108864 rays, found 0", [](v1::Hello& h) { h.mutable_geometry()->clear_angles(); }},
    {"rays, found 0", [](v1::Hello& h) { h.mutable_geometry()->set_beamlets(0); }},
    {"rays, found ", [](v1::Hello& h) { h.mutable_geometry()->set_beamlets(1u << 31); }},
    {"geometry of b: expected at most 65536 beamlets, found 65537",
     [](v1::Hello& h) { h.mutable_geometry()->set_beamlets(65537); }},
    {"spacing", [](v1::Hello& h) { h.mutable_geometry()->set_spacing(kNan); }},
    {"spacing", [](v1::Hello& h) { h.mutable_geometry()->set_spacing(0); }},
    {"spacing", [](v1::Hello& h) { h.mutable_geometry()->set_spacing(-0.5); }},
    {"spacing", [](v1::Hello& h) { h.mutable_geometry()->set_spacing(1e300); }},
    {"rotation axis", [](v1::Hello& h) { h.mutable_geometry()->set_rotation_axis(kNan); }},
    {"rotation axis", [](v1::Hello& h) { h.mutable_geometry()->set_rotation_axis(1e9); }},
    {"one for each of 3 angles, found 1",
     [](v1::Hello& h) { h.mutable_geometry()->add_shifts(0); }},
    {"shifts[2]",
     [](v1::Hello& h) {
       for (const double shift : {0.0, 0.5, kNan}) h.mutable_geometry()->add_shifts(shift);
     }},
    {"checkpoints: expected at most 64, found 65",
     [](v1::Hello& h) { h.mutable_checkpoints()->Resize(65, 1); }},
    {"bytes of the run's name: expected at most 64",
     [](v1::Hello& h) { h.set_run(std::string(1000, 'r')); }},
    {"bytes of the version", [](v1::Hello& h) { h.set_software(std::string(1000, 'v')); }},
    {"terms of the study: expected at most",
     [](v1::Hello& h) {
       for (int k = 0; k < 1000; ++k) *h.add_terms() = term(std::to_string(k), "1");
     }},
    {"bytes of a term",
     [](v1::Hello& h) { h.mutable_terms(0)->set_value(std::string(9999, 'x')); }},
};

class HelloCheck : public CoordinatorTest {
 protected:
  void start_checking() {
    CoordinatorOptions o = options();
    o.check_member = [file = three_sites()](const std::string& site, const v1::Geometry& geometry,
                                            const v1::Noise& noise) {
      check_member(file, site, geometry, noise);
    };
    start(o);
  }
  static v1::SiteMessage valid_hello(const std::string& site) {
    v1::SiteMessage message = hello(site);
    message.mutable_hello()->MergeFrom(valid());
    return message;
  }
};

TEST_F(HelloCheck, RefusesOffenderAlone) {
  start_checking();
  LocalChannel a(*coordinator_, "a");
  LocalChannel c(*coordinator_, "c");
  a.send(valid_hello("a"));
  c.send(valid_hello("c"));
  for (const Nonsense& nonsense : kNonsense) {
    log_.clear();
    LocalChannel b(*coordinator_, "b");
    v1::SiteMessage message = valid_hello("b");
    nonsense.make(*message.mutable_hello());
    b.send(message);
    v1::CoordinatorMessage answer = b.receive();
    while (answer.has_waiting()) answer = b.receive();
    ASSERT_TRUE(answer.has_refusal()) << nonsense.part;
    EXPECT_CONTAINS(answer.refusal().message(), nonsense.part);
    EXPECT_FALSE(answer.refusal().replaced());
    EXPECT_THROW(b.receive(), ChannelLost);
  }
  EXPECT_EQ(kept_.attempt, 0u);
  LocalChannel b(*coordinator_, "b");
  b.send(valid_hello("b"));
  for (LocalChannel* channel : {&a, &b, &c}) {
    v1::CoordinatorMessage message = channel->receive();
    while (message.has_waiting()) message = channel->receive();
    EXPECT_TRUE(message.has_begin());
  }
}

// A detector that is much finer than a large image, or larger than a small one.
TEST(MemberCheck, AcceptsManyBeamlets) {
  StudyFile file = three_sites();
  v1::Hello hello = valid();
  const auto check = [&](std::uint32_t beamlets) {
    hello.mutable_geometry()->set_beamlets(beamlets);
    check_member(file, "b", hello.geometry(), hello.noise());
  };
  EXPECT_NO_THROW(check(65536));
  EXPECT_THROW(check(65537), Error);
  file.rows = 3000;
  file.columns = 4000;
  EXPECT_NO_THROW(check(320000));  // 64 times the diagonal
  EXPECT_THROW(check(320001), Error);
}

TEST_F(HelloCheck, SecondHelloIsNotPassedOn) {
  start_checking();
  LocalChannel a(*coordinator_, "a");
  LocalChannel b(*coordinator_, "b");
  b.send(valid_hello("b"));
  for (int k = 0; k < 50; ++k) a.send(valid_hello("a"));
  const auto lines = std::ranges::count(log_, '\n');
  EXPECT_LT(lines, 10) << log_;
  v1::SiteMessage other = valid_hello("a");
  other.mutable_hello()->mutable_noise()->set_sigma(0.5);
  a.send(other);
  v1::CoordinatorMessage answer = a.receive();
  while (answer.has_waiting()) answer = a.receive();
  EXPECT_CONTAINS(answer.refusal().message(), "expected one Hello before an attempt");
}

// A site that fails and comes back, again and again, concerns nobody else.
TEST_F(HelloCheck, OthersAreToldOnceWhoIsMissing) {
  start();
  LocalChannel a(*coordinator_, "a");
  LocalChannel b(*coordinator_, "b");
  LocalChannel c(*coordinator_, "c");
  a.send(hello("a"));
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message("no");
  for (int k = 0; k < 100; ++k) {
    b.send(hello("b"));
    EXPECT_TRUE(b.receive().has_waiting());
    b.send(failure);
  }
  b.send(hello("b"));
  c.send(hello("c"));
  int told = 0;
  while (a.receive().has_waiting()) ++told;  // ends at Begin
  EXPECT_EQ(told, 2);                        // first for b and c, then for c
}

// ---- the log -----------------------------------------------------------------------------------

TEST_F(HelloCheck, FailuresDoNotFillTheLog) {
  begin();
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message(std::string(std::size_t{1} << 20, 'f'));
  for (int k = 0; k < 5000; ++k) channels_[1]->send(failure);
  EXPECT_LT(log_.size(), 100000u);
  v1::CoordinatorMessage message = channels_[0]->receive();
  while (!message.has_abandon()) message = channels_[0]->receive();
  EXPECT_LT(message.abandon().reason().size(), 1000u);
}

TEST_F(HelloCheck, ConnectionsDoNotFillTheLog) {
  start();
  for (int k = 0; k < 5000; ++k) {
    const std::uint64_t connection = coordinator_->connect("a", [](const ToSite&) {});
    coordinator_->disconnect("a", connection);
    coordinator_->connect("stranger", [](const ToSite&) {});
    coordinator_->note("a connection was refused: " + std::to_string(k));
  }
  EXPECT_LT(log_.size(), 100000u);
  EXPECT_CONTAINS(log_, "a: connected");
}

// ---- chunks ------------------------------------------------------------------------------------

TEST_F(HelloCheck, SmallChunksAreRefused) {
  begin();
  v1::SiteMessage message = share(1, 0, std::vector<std::uint32_t>(kChunkWords - 1, 1));
  message.mutable_share()->set_length(2 * kChunkWords);
  message.mutable_share()->set_last(false);
  message.mutable_share()->clear_scalars();
  expect_refused(0, message, "expected a chunk of 32768 words, or the last one, found 32767");
}

}  // namespace
}  // namespace firm
