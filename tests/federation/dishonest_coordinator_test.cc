// A coordinator that sends different messages to different sites: the sites detect it.
#include <gtest/gtest.h>

#include <algorithm>

#include "federation/secure/secure_federation.h"

namespace firm {
namespace {

using DishonestCoordinator = SecureFederation;

constexpr std::uint64_t kWrongSum = 3;

struct Equivocation {
  const char* what;
  LocalChannel::Change change;
};

const Equivocation kEquivocations[] = {
    {"words",
     [](v1::CoordinatorMessage& m) {
       if (!m.has_total() || m.total().position().exchange() != kWrongSum) return;
       m.mutable_total()->mutable_words()->at(5) ^= 1;
     }},
    {"scalars",
     [](v1::CoordinatorMessage& m) {
       if (!m.has_total() || m.total().position().exchange() != kWrongSum) return;
       m.mutable_total()->mutable_scalars()->at(0) ^= 1;
     }},
    {"scale", [](v1::CoordinatorMessage& m) {
       if (!m.has_scale() || m.scale().position().exchange() != kWrongSum + 1) return;
       m.mutable_scale()->set_fraction_bits(m.scale().fraction_bits() + 1);
     }}};

// Makes the sums up to the one that is tampered with, which succeed, then one of a length whose
// scale is not agreed yet.
void sum_until_caught(FixedPointCollective& collective, std::size_t& sums, const char* opener) {
  for (; sums <= kWrongSum; ++sums) {
    std::vector<float> values(10, 1.0f);
    double scalar = 1;
    collective.sum(values, std::span(&scalar, 1));
  }
  std::vector<float> values(11, 1.0f);
  if (*opener == '\0') {
    collective.sum(values, {});
  } else {
    collective.sum_for(opener, values);
  }
  ++sums;
}

TEST_F(DishonestCoordinator, IsDetectedAtEverySite) {
  for (const Equivocation& equivocation : kEquivocations) {
    SCOPED_TRACE(equivocation.what);
    start();
    for (std::size_t deceived = 0; deceived < kCount; ++deceived) {
      changes_.assign(kCount, {});
      changes_[deceived] = equivocation.change;
      std::vector<std::size_t> sums(kCount);
      const auto endings =
          attempt([&](const AtSite& at) { sum_until_caught(at.collective, sums[at.number], ""); });
      for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_EQ(sums[i], kWrongSum + 1);
        EXPECT_EQ(endings[i].kind, Error::Kind::kNetwork);
        EXPECT_CONTAINS(endings[i].text, "have all received the same sums");
      }
    }
  }
}

// The other sites cannot detect it.
TEST_F(DishonestCoordinator, IsDetectedByOpenerOfSum) {
  for (const Equivocation& equivocation : kEquivocations) {
    SCOPED_TRACE(equivocation.what);
    start();
    changes_.assign(kCount, {});
    changes_[0] = equivocation.change;
    std::vector<std::size_t> sums(kCount);
    const auto endings =
        attempt([&](const AtSite& at) { sum_until_caught(at.collective, sums[at.number], "c"); });
    EXPECT_EQ(sums[2], kWrongSum + 1);
    EXPECT_EQ(endings[2].kind, Error::Kind::kNetwork);
    EXPECT_CONTAINS(endings[2].text, "have all received the same sums");
  }
}

// Only an empty sum follows the last sum.
TEST_F(DishonestCoordinator, IsDetectedAtLastSum) {
  for (const std::string opener : {"", "b"}) {
    SCOPED_TRACE(opener);
    const std::uint64_t last = 2;
    const auto work = [&](const AtSite& at) {
      std::vector<float> values(10, 1.0f);
      for (std::uint64_t k = 0; k < last; ++k) at.collective.sum(values, {});
      if (opener.empty()) {
        at.collective.sum(values, {});
      } else {
        at.collective.sum_for(opener, values);
      }
      at.collective.confirm();
    };
    start();
    changes_.assign(kCount, {});
    good_attempt(work);
    changes_[1] = [](v1::CoordinatorMessage& m) {
      if (!m.has_total() || m.total().position().exchange() != last) return;
      m.mutable_total()->mutable_words()->at(5) ^= 1;
    };
    for (const Ending& ending : attempt(work)) {
      EXPECT_EQ(ending.kind, Error::Kind::kNetwork);
      EXPECT_CONTAINS(ending.text, "have all received the same sums");
    }
  }
}

// A checkpoint records that the last sum before it differed.
TEST_F(DishonestCoordinator, IsDetectedBeforeAttemptResumes) {
  const auto sum_and_keep = [&](const AtSite& at) {
    for (std::uint64_t k = 0; k <= kWrongSum; ++k) {
      std::vector<float> values(10, 1.0f);
      double scalar = 1;
      at.collective.sum(values, std::span(&scalar, 1));
    }
    totals_[at.number] = at.exchange.totals();
  };
  for (const Equivocation& equivocation : {kEquivocations[0], kEquivocations[1]}) {
    SCOPED_TRACE(equivocation.what);
    for (std::size_t deceived = 0; deceived < kCount; ++deceived) {
      start();
      changes_.assign(kCount, {});
      totals_.assign(kCount, {});
      for (int turn = 0; turn < 2; ++turn) good_attempt(sum_and_keep);
      changes_[deceived] = equivocation.change;
      good_attempt(sum_and_keep);
      changes_[deceived] = {};
      std::vector<int> summed(kCount);
      const auto endings = attempt([&](const AtSite& at) {
        at.collective.confirm();
        summed[at.number] = 1;
      });
      EXPECT_EQ(summed, std::vector<int>(kCount));
      // All sites compare their chain with that of a; the first difference ends the attempt.
      const bool detected = std::any_of(endings.begin(), endings.end(), [](const Ending& e) {
        return e.kind == Error::Kind::kNetwork &&
               e.text.find("site a: expected a site that has received the same sums so far") !=
                   std::string::npos;
      });
      EXPECT_TRUE(detected) << endings[1].text;
    }
  }
}

}  // namespace
}  // namespace firm
