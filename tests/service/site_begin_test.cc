// A Begin that the coordinator has tampered with ends a site; a wrong number of a peer does not.
#include "service/site_begin.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "support/temporary_directory.h"

namespace firm {
namespace {

StudyFile study_file() {
  StudyFile file;
  file.rows = file.columns = 4;
  file.slices = 1;
  file.pixel_size = 0.1;
  for (const char* site : {"c", "a", "b"}) {  // Begin has them sorted
    SiteEntry entry;
    entry.name = site;
    entry.kind = entry.name == "c" ? "xrt" : "xrf";
    file.sites.push_back(entry);
  }
  return file;
}

v1::Geometry geometry(double axis) {
  v1::Geometry g;
  g.add_angles(0.5);
  g.set_beamlets(4);
  g.set_spacing(0.1);
  g.set_rotation_axis(axis);
  return g;
}

// Returns the Hello of b, which can resume from two rounds.
v1::Hello own_hello() {
  v1::Hello hello;
  hello.set_site("b");
  *hello.mutable_geometry() = geometry(2);
  hello.mutable_noise()->set_sigma(0.25);
  hello.set_run("run");
  hello.add_checkpoints(20);
  hello.add_checkpoints(30);
  return hello;
}

v1::Begin good_begin() {
  v1::Begin begin;
  begin.set_run("run");
  begin.set_attempt(6);
  begin.set_round(20);
  begin.set_secure(true);
  for (const char* site : {"a", "b", "c"}) {
    v1::Member& member = *begin.add_members();
    member.set_site(site);
    *member.mutable_geometry() = geometry(member.site() == "b" ? 2 : 3);
    member.mutable_noise()->set_sigma(member.site() == "b" ? 0.25 : 1);
  }
  return begin;
}

constexpr std::uint32_t kLastAttempt = 5;

void check(const v1::Begin& begin, std::uint32_t last_attempt = kLastAttempt) {
  check_begin(begin, own_hello(), study_file(), last_attempt);
}

TEST(SiteBegin, IsAcceptedFromHonestCoordinator) {
  EXPECT_NO_THROW(check(good_begin()));
  v1::Begin begin = good_begin();
  begin.set_round(0);
  EXPECT_NO_THROW(check(begin));
  begin.set_round(30);
  begin.set_attempt(1000);
  EXPECT_NO_THROW(check(begin));
  // The first attempt of this program, whose state an older one has written without the number.
  begin.set_attempt(1);
  EXPECT_NO_THROW(check(begin, 0));
  // Another run starts from the beginning, and counts attempts from 1.
  begin.set_run("another");
  begin.set_round(0);
  EXPECT_NO_THROW(check(begin));
}

// check_member refuses it: the site then waits for a better attempt.
TEST(SiteBegin, LeavesNumbersOfPeersToOthers) {
  v1::Begin begin = good_begin();
  begin.mutable_members(0)->mutable_noise()->set_sigma(std::numeric_limits<double>::quiet_NaN());
  begin.mutable_members(2)->mutable_geometry()->set_beamlets(0);
  EXPECT_NO_THROW(check(begin));
}

TEST(SiteBegin, IsRefusedWhenOnlyCoordinatorCanHaveChangedIt) {
  const struct {
    std::function<void(v1::Begin&)> change;
    const char* text;
  } cases[] = {
      {[](v1::Begin& b) { b.set_round(21); },
       "expected a round that this site can resume from: 0 or 20 or 30, found 21"},
      {[](v1::Begin& b) { b.set_run("another"); },
       "expected a round that this site can resume from: 0, found 20"},
      {[](v1::Begin& b) { b.set_attempt(kLastAttempt); }, "expected an attempt above 5, found 5"},
      {[](v1::Begin& b) { b.set_attempt(0); }, "set its attempt to 5"},
      {[](v1::Begin& b) {
         b.set_run("another");
         b.set_round(0);
         b.set_attempt(0);
       },
       "expected an attempt above 0, found 0"},
      {[](v1::Begin& b) { b.mutable_members(1)->mutable_geometry()->set_rotation_axis(2.5); },
       "expected this site's geometry as it was sent, found another"},
      {[](v1::Begin& b) { b.mutable_members(1)->mutable_geometry()->add_angles(1); },
       "this site's geometry"},
      {[](v1::Begin& b) { b.mutable_members(1)->mutable_noise()->set_sigma(0.5); },
       "this site's noise"},
      {[](v1::Begin& b) { b.mutable_members(1)->mutable_noise()->set_weighted(true); },
       "this site's noise"},
      {[](v1::Begin& b) { b.mutable_members()->RemoveLast(); },
       "expected the sites a, b, c, found a, b"},
      {[](v1::Begin& b) { b.add_members()->set_site("d"); }, "found a, b, c, d"},
      {[](v1::Begin& b) { *b.mutable_members(2) = b.members(0); }, "found a, b, a"},
      {[](v1::Begin& b) { b.mutable_members()->SwapElements(0, 2); }, "found c, b, a"},
      {[](v1::Begin& b) { b.clear_members(); }, "expected the sites a, b, c, found "}};
  for (const auto& c : cases) {
    v1::Begin begin = good_begin();
    c.change(begin);
    try {
      check(begin);
      ADD_FAILURE() << "accepted, instead of: " << c.text;
    } catch (const WrongBegin& error) {
      const std::string text = error.what();
      EXPECT_EQ(error.kind(), Error::Kind::kNetwork);
      EXPECT_CONTAINS(text, "the coordinator's Begin is wrong: expected ");
      EXPECT_CONTAINS(text, c.text);
    }
  }
}

}  // namespace
}  // namespace firm
