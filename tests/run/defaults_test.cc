// Defaults that never make it worse: where the noise is known, a joint reconstruction without
// options is at most a little farther from the truth than each site alone, and better on average.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "firm/reconstruct.h"
#include "run/ratios.h"
#include "support/test_objects.h"

namespace firm {
namespace {

TEST(Defaults, AreNotWorseThanEachSiteAlone) {
  std::vector<ObjectOptions> cases;
  for (const std::string& kind : object_kinds()) {
    cases.push_back({.kind = kind, .size = 64, .angles = 30, .noise = 0.05});
  }
  const Ratios ratios = joint_over_alone(cases);
  EXPECT_LE(ratios.worst, 1.05) << ratios.worst_case;
  EXPECT_LE(ratios.mean, 0.9);
}

// An XRT that is ten times as accurate as the others must not leave their data behind.
TEST(Defaults, FollowOwnDataBesideAccurateXrt) {
  for (const char* kind : {"discs", "wires", "grains"}) {
    const ObjectOptions o{.kind = kind, .angles = 30, .noise = 0.05, .xrt_noise = 0.1};
    const Ratios ratios = joint_over_alone({o});
    EXPECT_LE(ratios.worst, 1.2) << ratios.worst_case;
    EXPECT_LE(ratios.mean, 0.9) << kind;
  }
}

// Without the rule both methods fit noise until their images are worse by a factor.
TEST(Defaults, AreBetterThanOptimum) {
  const MeasuredObject object = measure_object({.kind = "grains", .angles = 30, .noise = 0.05});
  SolveOptions optimum;
  optimum.stop.kkt = 1e-4;
  const auto by_default = relative_errors(reconstruct(object.study).images, object.truth);
  const auto optimal = relative_errors(reconstruct(object.study, optimum).images, object.truth);
  for (std::size_t i = 0; i < optimal.size(); ++i) EXPECT_LT(2 * by_default[i], optimal[i]) << i;
}

TEST(Fit, IsAboutOneWhereSigmaIsKnown) {
  const MeasuredObject object = measure_object({.kind = "discs", .angles = 45, .noise = 0.05});
  const Summary s = reconstruct(object.study).summary;
  EXPECT_EQ(s.fits(), true);
  for (const SiteSummary& site : s.sites) {
    EXPECT_GT(site.fit().value(), 0.8) << site.name;
    EXPECT_LT(site.fit().value(), 1.2) << site.name;
    EXPECT_EQ(site.noise_source, NoiseSource::kGiven);
  }
}

TEST(Fit, ShowsDataThatContradictsTheModel) {
  MeasuredObject object = measure_object({.kind = "discs", .angles = 45, .noise = 0.02});
  // XRT twice as large as the elements explain.
  for (float& value : object.study.data.back().values.values()) value *= 2;
  const Summary s = reconstruct(object.study).summary;
  EXPECT_EQ(s.fits(), false);
  EXPECT_GT(s.sites.back().fit().value(), kMissed);
}

TEST(Fit, IsJudgedByGuessedNoiseIfTheStudyHasNone) {
  MeasuredObject object = measure_object({.kind = "discs", .angles = 45, .noise = 0.03});
  std::vector<double> sigma;
  for (Site& site : object.study.sites) {
    sigma.push_back(site.sigma);
    site.sigma = 1;
  }
  SolveOptions options;
  options.stop.rounds = 3;
  const Summary s = reconstruct(object.study, options).summary;
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    EXPECT_EQ(s.sites[i].noise_source, NoiseSource::kGuessed);
    EXPECT_NEAR(s.sites[i].sigma, sigma[i], 0.3 * sigma[i]) << i;
  }
}

}  // namespace
}  // namespace firm
