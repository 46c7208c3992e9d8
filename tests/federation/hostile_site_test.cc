// A site with a valid certificate that lies: it is refused alone, or nobody is. Images come only
// from sites that publish.
#include "federation/coordinator_fixture.h"

namespace firm {
namespace {

using HostileSite = CoordinatorTest;

v1::SiteMessage plain_failure() {
  v1::SiteMessage message;
  message.mutable_failure()->set_message("its disk is full");
  return message;
}

// ---- sites that contradict each other ----------------------------------------------------------

TEST_F(HostileSite, RefusesNeitherOfTwoSharesThatDiffer) {
  v1::SiteMessage two_scalars = share(1, 0, {1});
  two_scalars.mutable_share()->set_scalars(std::string(2 * kScalarBytes, '\1'));
  v1::SiteMessage all_of_five = share(1, 0, {1, 2, 3, 4, 5});
  struct Case {
    v1::SiteMessage of_b;
    v1::SiteMessage of_a;
    std::string part;
  };
  const std::vector<Case> cases = {
      {share(1, 0, {1}), all_of_five, "as many words from every site, found 1 from b and 5 from a"},
      {range(0, 3, 1), all_of_five, "found 1 from b and 5 from a"},
      {share(1, 0, {1}), range(0, 3, 5), "found 1 from b and 5 from a"},
      {two_scalars, share(1, 0, {1}),
       "as many scalars from every site, found 2 from b and 1 from a"},
  };
  for (const Case& c : cases) {
    log_.clear();
    channels_.clear();
    begin();
    channels_[1]->send(c.of_b);
    channels_[0]->send(c.of_a);
    EXPECT_CONTAINS(log_, c.part);
    EXPECT_EQ(log_.find("refused"), std::string::npos) << log_;
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      const v1::CoordinatorMessage message = channels_[i]->receive();
      ASSERT_TRUE(message.has_abandon()) << kSites[i];
      EXPECT_CONTAINS(message.abandon().reason(), c.part);
      channels_[i]->send(hello(kSites[i]));
    }
    EXPECT_EQ(kept_.attempt, 2u);  // the same connections go on
  }
}

// A second scale would end all sites: no honest coordinator sends one.
TEST_F(HostileSite, RefusesSecondRangeAlone) {
  begin();
  for (auto& channel : channels_) channel->send(range(0, 3, 5));
  for (auto& channel : channels_) ASSERT_TRUE(channel->receive().has_scale());
  expect_refused(1, range(1, 9, 5), "expected a share in the scale that was sent");
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_CONTAINS(channels_[i]->receive().abandon().reason(), "b was refused");
  }
}

// Site b asks for a scale that is finer than the one before, so that others have to ask again.
TEST_F(HostileSite, RefusesNobodyWhenScaleIsTooFine) {
  begin();
  channels_[1]->send(range(0, -100, 2));
  for (const std::size_t i : {0u, 2u}) channels_[i]->send(share(1, 0, {1, 2}));
  for (auto& channel : channels_) ASSERT_TRUE(channel->receive().has_scale());
  channels_[0]->send(range(1, 3, 2));
  for (auto& channel : channels_) {
    const v1::CoordinatorMessage message = channel->receive();
    ASSERT_TRUE(message.has_abandon());
    EXPECT_CONTAINS(message.abandon().reason(), "2^-100, as b asked for, that is too fine for a");
  }
  EXPECT_EQ(log_.find("refused"), std::string::npos) << log_;
}

// ---- claims before the first sum ----------------------------------------------------------------

TEST_F(HostileSite, RefusesEndBeforeTheFirstSum) {
  begin();
  v1::SiteMessage done;
  done.mutable_done()->set_run(kept_.run);
  expect_refused(1, done, "expected results after the sums of attempt 1, found them before");
  EXPECT_TRUE(channels_[0]->receive().has_abandon());
}

// Whoever says that a sum is wrong ends all sites. Before the first sum nobody can know.
// A site outside an attempt has received nothing that could be wrong.
TEST_F(HostileSite, PassesOnWrongSumOnlyOfAnAttempt) {
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message("so there");
  failure.mutable_failure()->set_wrong_sum(true);
  begin();
  channels_[0]->send(plain_failure());
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_FALSE(channels_[i]->receive().abandon().wrong_sum());
    channels_[i]->send(hello(kSites[i]));
  }
  EXPECT_FALSE(channels_[1]->receive().abandon().wrong_sum());
  // Site b has left the attempt in which it found a wrong sum; the others must not wait for it. It
  // says so again and again, which also uses up the lines of the log about b.
  for (int k = 0; k < 50; ++k) channels_[1]->send(failure);
  for (const std::size_t i : {0u, 2u}) {
    v1::CoordinatorMessage message = channels_[i]->receive();
    while (message.has_waiting()) message = channels_[i]->receive();
    EXPECT_TRUE(message.abandon().wrong_sum()) << kSites[i];
    EXPECT_CONTAINS(message.abandon().reason(), "b cannot continue: so there");
  }
  const std::string line = "b: says that the coordinator is wrong in attempt 1";
  EXPECT_CONTAINS(log_, line);
  EXPECT_EQ(log_.find(line, log_.find(line) + 1), std::string::npos);
}

// ---- published images --------------------------------------------------------------------------

class Images : public CoordinatorTest {
 protected:
  void begin_publishing() {
    CoordinatorOptions o = options();
    o.image_values = 4;
    o.other_at = "c";
    publishes_ = "c";
    channels_.clear();
    begin(o);
    make_sum();
  }
  v1::SiteMessage image(const std::string& name, std::uint64_t offset = 0,
                        std::size_t count = 4) const {
    v1::SiteMessage message;
    message.mutable_image()->set_run(kept_.run);
    message.mutable_image()->set_name(name);
    message.mutable_image()->set_offset(offset);
    message.mutable_image()->set_values(std::string(count * sizeof(float), '\0'));
    return message;
  }
};

TEST_F(Images, AreTakenOnceEach) {
  begin_publishing();
  for (const char* name : {"c", "other"}) {
    channels_[2]->send(image(name, 0, 2));  // starts again
    channels_[2]->send(image(name, 0, 3));
    channels_[2]->send(image(name, 3, 1));
  }
  EXPECT_EQ(images_, (std::vector<std::string>{"c/c/4", "c/other/4"}));
  expect_refused(2, image("c"), "expected the image of 'c' once in an attempt");
  EXPECT_EQ(images_.size(), 2u);
}

TEST_F(Images, AreRefusedFromOthers) {
  begin_publishing();
  expect_refused(2, image("b"), "expected the site's own image, found that of 'b'");
  begin_publishing();
  expect_refused(2, image("c", 0, 5), "expected an image of 4 values");
  begin_publishing();
  expect_refused(1, image("b"), "expected no image, as the Hello of this site says");
  publishes_ = "c";
  channels_.clear();
  begin();
  expect_refused(2, image("c"), "expected an image after the sums of run");
  EXPECT_TRUE(images_.empty());
}

}  // namespace
}  // namespace firm
