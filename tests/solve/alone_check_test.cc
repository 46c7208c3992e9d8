// Sites that are fitted alone, but not together with the others: one of them has wrong data.
#include "solve/alone_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/small_study.h"

namespace firm {
namespace {

constexpr std::size_t kWrong = 1;  // the site whose data is changed

double largest(const Block& values) {
  float most = 0;
  for (const float value : values.values()) most = std::max(most, std::abs(value));
  return static_cast<double>(most);
}

// Four sites with known noise, and more rays than pixels.
SmallStudy known_noise(double noise = 0.02) {
  SmallStudy small = make_small_study(
      {.seed = 7, .sites = 4, .rows = 10, .columns = 10, .angles = 16, .noise = noise});
  for (const SiteData& data : small.data) {
    small.study.sites[data.site].sigma = noise * largest(data.values);
  }
  return small;
}

SmallStudy with_wrong(std::size_t site, const std::function<float(float)>& change) {
  SmallStudy small = known_noise();
  for (float& value : small.data[site].values.values()) value = change(value);
  return small;
}

SolveOptions by(const std::string& method) {
  SolveOptions options;
  options.method = method;
  return options;
}

TEST(AloneCheck, LeavesGoodStudyAlone) {
  for (const double noise : {0.005, 0.02, 0.1}) {
    for (const char* method : {"firm-ds", "fedpgd"}) {
      const Summary s = solve_small(known_noise(noise), by(method)).summary;
      EXPECT_EQ(s.fits(), true) << method << " " << noise;
      for (const SiteSummary& site : s.sites) {
        EXPECT_FALSE(site.residual_alone) << method << " " << noise << " " << site.name;
      }
    }
  }
}

TEST(AloneCheck, FindsThatAnotherSiteIsWrong) {
  for (const float factor : {10.0f, -1.0f, 3.0f}) {
    for (const std::size_t wrong : {kWrong, std::size_t{3}}) {  // XRF, XRT
      SCOPED_TRACE(factor);
      SCOPED_TRACE(wrong);
      const SmallStudy small = with_wrong(wrong, [&](float b) { return factor * b; });
      const Summary s = solve_small(small, by("firm-ds")).summary;
      EXPECT_EQ(s.fits(), false);
      for (std::size_t i = 0; i < s.sites.size(); ++i) {
        if (i == wrong) continue;
        const SiteSummary& site = s.sites[i];
        EXPECT_TRUE(site.contradicted()) << site.name << ": " << *site.fit();
        EXPECT_LT(site.fit_alone().value_or(9), 1.1);
        EXPECT_GT(site.others_share().value_or(0), 0.1);
      }
    }
  }
}

// Negative data is fitted by no image: its owner learns that it is its own data that is wrong.
TEST(AloneCheck, DoesNotBlameOthersForDataThatFitsNothing) {
  const SmallStudy small = with_wrong(kWrong, [](float b) { return -b; });
  const SiteSummary site = solve_small(small, by("firm-ds")).summary.sites[kWrong];
  EXPECT_GT(site.fit_alone().value_or(0), kMissed);
  EXPECT_FALSE(site.contradicted());
  EXPECT_TRUE(site.missed());
}

TEST(AloneCheck, WorksForOtherMethodsAndRules) {
  const SmallStudy small = with_wrong(kWrong, [](float b) { return 10 * b; });
  SolveOptions optimum = by("firm-ds");
  optimum.stop.kkt = 1e-4;
  SolveOptions prior = by("firm-ds");
  prior.prior.kind = "tv";
  prior.prior.strength = 0.1;
  for (const SolveOptions& options : {by("fedpgd"), optimum, prior}) {
    const Summary s = solve_small(small, options).summary;
    EXPECT_TRUE(s.sites.back().contradicted()) << s.method << " " << s.termination.reason;
  }
}

TEST(AloneCheck, WaitsForFinalImages) {
  const SmallStudy small = with_wrong(kWrong, [](float b) { return 10 * b; });
  SolveOptions early = by("firm-ds");
  early.stop.rounds = 1;
  for (const SiteSummary& site : solve_small(small, early).summary.sites) {
    EXPECT_FALSE(site.residual_alone) << site.name;
  }
  // A site alone has no others.
  for (const SiteSummary& site : solve_small(small, by("pgd")).summary.sites) {
    EXPECT_FALSE(site.residual_alone) << site.name;
  }
  // The user wants images that are farther from the data than its noise.
  SolveOptions smooth = by("firm-ds");
  smooth.stop.discrepancy = 0.05;
  const Summary s = solve_small(known_noise(0.005), smooth).summary;
  EXPECT_EQ(s.termination.reason, "discrepancy");
  EXPECT_GT(s.sites.back().fit().value_or(0), kContradicted);
  for (const SiteSummary& site : s.sites) EXPECT_FALSE(site.residual_alone) << site.name;
}

TEST(AloneCheck, EndsWhenInterrupted) {
  const SmallStudy small = with_wrong(kWrong, [](float b) { return 10 * b; });
  Summary s = solve_small(small, by("firm-ds")).summary;
  for (SiteSummary& site : s.sites) site.residual_alone.reset();
  Problem problem(small.study, small.data, {.threads = 1});
  compare_with_alone(
      problem, [] { return true; }, s);
  for (const SiteSummary& site : s.sites) EXPECT_FALSE(site.residual_alone) << site.name;
}

// Honest sites whose sigma is too small, beside one with wrong data.
TEST(AloneCheck, FindsThatAnotherSiteIsWrongWhereSigmaIsTooSmall) {
  SmallStudy small = with_wrong(kWrong, [](float b) { return 10 * b; });
  for (Site& site : small.study.sites) site.sigma /= 4;
  const SiteSummary xrt = solve_small(small, by("firm-ds")).summary.sites.back();
  EXPECT_GT(xrt.fit_alone().value_or(0), kMissed);
  EXPECT_TRUE(xrt.contradicted()) << xrt.fit().value_or(0);
  EXPECT_GT(xrt.others_share().value_or(0), 0.8);
}

TEST(AloneCheck, DoesNotBlameOthersForSigmaThatIsTooSmall) {
  for (const double part : {0.1, 0.25}) {
    SmallStudy small = known_noise();
    for (Site& site : small.study.sites) site.sigma *= part;
    for (const SiteSummary& site : solve_small(small, by("firm-ds")).summary.sites) {
      EXPECT_FALSE(site.contradicted())
          << part << " " << site.name << ": " << site.fit().value_or(0) << ", alone "
          << site.fit_alone().value_or(0);
    }
  }
}

TEST(SiteSummary, JudgesTheJointFitByTheOneAlone) {
  SiteSummary site;
  site.residual = 30;
  EXPECT_FALSE(site.missed());  // the noise is unknown
  site.noise_scale = 10;
  EXPECT_TRUE(site.missed());
  EXPECT_FALSE(site.contradicted());
  site.residual_alone = 9;
  EXPECT_TRUE(site.contradicted());
  EXPECT_DOUBLE_EQ(site.fit_alone().value(), 0.9);
  EXPECT_DOUBLE_EQ(site.others_share().value(), 0.91);
  site.residual = 10.9;  // within what noise allows
  EXPECT_FALSE(site.missed());
  site.residual = 11.1;
  EXPECT_TRUE(site.missed());
  site.residual = 19;
  site.residual_alone = 18;  // nearly as bad alone
  EXPECT_FALSE(site.missed());
  site.residual_alone = 30;  // missed alone, too
  site.residual = 74;
  EXPECT_FALSE(site.contradicted());
  site.residual = 76;
  EXPECT_TRUE(site.contradicted());
}

}  // namespace
}  // namespace firm
