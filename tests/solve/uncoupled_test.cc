// A site that is not coupled, coefficient 0, gets its image alone and leaves the others alone.
#include <gtest/gtest.h>

#include <cstring>

#include "firm/error.h"
#include "solve/dense_optimum.h"
#include "support/small_study.h"

namespace firm {
namespace {

constexpr std::size_t kApart = 1;  // the place of the site that is not coupled

// Enough rays for a unique optimum, so that images can be compared.
SmallStudyOptions some_options(bool plain) {
  return {.seed = 31,
          .sites = 3,
          .rows = 5,
          .columns = 5,
          .angles = 9,
          .slices = 2,
          .other = !plain,
          .own_geometry = !plain,
          .own_sigma = !plain};
}

// The study with one more site, which has an object, a geometry and a sigma of its own.
SmallStudy with_uncoupled(SmallStudy small, double sigma, const SmallStudyOptions& of) {
  const SmallStudy another = make_small_study(of);
  Site site = another.study.sites.front();
  site.name = "apart";
  site.coefficient = 0;
  site.sigma = sigma;
  const auto at = static_cast<std::ptrdiff_t>(kApart);
  small.study.sites.insert(small.study.sites.begin() + at, site);
  for (SiteData& data : small.data) data.site += data.site >= kApart ? 1 : 0;
  SiteData data = another.data.front();
  data.site = kApart;
  small.data.insert(small.data.begin() + at, data);
  return small;
}

Matrix columns_of(const Solution& s, std::size_t variable, std::size_t slices) {
  const auto width = static_cast<Eigen::Index>(slices);
  return to_matrix(s.images).middleCols(static_cast<Eigen::Index>(variable) * width, width);
}

// Compares all images but that of the site apart with those of the study without it.
void expect_others(const Solution& with, const Solution& without, std::size_t slices, double part) {
  ASSERT_EQ(with.names.size(), without.names.size() + 1);
  for (std::size_t v = 0; v < without.names.size(); ++v) {
    const std::size_t same = v + (v >= kApart ? 1 : 0);
    ASSERT_EQ(with.names[same], without.names[v]);
    const Matrix expected = columns_of(without, v, slices);
    EXPECT_LT((columns_of(with, same, slices) - expected).norm(), part * expected.norm())
        << without.names[v];
  }
}

void expect_alone(const Solution& with, const Solution& alone, std::size_t slices, double part) {
  const Matrix expected = columns_of(alone, kApart, slices);
  EXPECT_GT(expected.norm(), 0);
  EXPECT_LE((columns_of(with, kApart, slices) - expected).norm(), part * expected.norm());
}

SolveOptions alone(SolveOptions options) {
  options.method = "pgd";
  return options;
}

TEST(UncoupledSite, HasImageOfItsOwnDataAtOptimum) {
  for (const bool plain : {true, false}) {
    SmallStudyOptions of = some_options(plain);
    const SmallStudy without = make_small_study(of);
    of.seed = 32;
    for (const double sigma : {1.0, 0.5}) {
      SCOPED_TRACE(plain);
      SCOPED_TRACE(sigma);
      const SmallStudy with = with_uncoupled(without, sigma, of);
      SolveOptions options;
      options.stop.kkt = 1e-6;
      options.stop.rounds = 20000;
      const Solution found = solve_small(with, options);
      EXPECT_EQ(found.summary.termination.reason, "kkt");
      expect_alone(found, solve_small(with, alone(options)), 2, 1e-3);
      expect_others(found, solve_small(without, options), 2, 1e-3);
    }
  }
}

// With a prior of given strength; of hardly any noise, where primal-dual steps are taken, too.
TEST(UncoupledSite, LeavesOthersAloneWithPrior) {
  for (const double noise : {0.05, 0.001}) {
    SCOPED_TRACE(noise);
    SmallStudyOptions of = some_options(true);
    of.noise = noise;
    SmallStudy without = make_small_study(of);
    for (Site& site : without.study.sites) site.sigma = noise;
    of.seed = 32;
    const SmallStudy with = with_uncoupled(without, noise, of);
    SolveOptions options;
    options.prior.kind = "tv";
    options.prior.strength = 1;
    options.stop.kkt = 1e-5;
    options.stop.rounds = 5000;
    const Solution found = solve_small(with, options);
    expect_alone(found, solve_small(with, alone(options)), 2, 1e-2);
    expect_others(found, solve_small(without, options), 2, 1e-2);
  }
}

// At the noise the site takes the image it has alone, and the others neither wait for it nor take
// more steps, however accurate it is.
TEST(UncoupledSite, NeitherDelaysNorChangesOthersAtNoise) {
  for (const bool plain : {true, false}) {
    for (const double accuracy : {1.0, 0.05}) {  // of XRT; the second takes two stages
      SCOPED_TRACE(plain);
      SCOPED_TRACE(accuracy);
      SmallStudyOptions of = some_options(plain);
      of.rows = of.columns = 8;
      SmallStudy without = make_small_study(of);
      for (Site& site : without.study.sites) site.sigma *= 0.1;
      without.study.sites.back().sigma *= accuracy;
      of.seed = 32;
      of.noise = 1e-4;
      const SmallStudy with = with_uncoupled(without, 1e-4, of);
      const Solution found = solve_small(with, {});
      const Solution expected = solve_small(without, {});
      EXPECT_EQ(found.summary.termination.reason, "noise");
      EXPECT_EQ(found.summary.rounds, expected.summary.rounds);
      EXPECT_EQ(found.summary.local_iterations, expected.summary.local_iterations);
      expect_alone(found, solve_small(with, alone({})), 2, 0);
      expect_others(found, expected, 2, 1e-4);
    }
  }
}

TEST(UncoupledSite, KeepsItsImageOnceItMeetsDiscrepancy) {
  SmallStudyOptions of = some_options(true);
  of.noise = 0.2;
  const SmallStudy without = make_small_study(of);
  of.seed = 32;
  of.noise = 0;
  const SmallStudy with = with_uncoupled(without, 1, of);
  SolveOptions options;
  options.stop.discrepancy = 0.02;
  options.stop.rounds = 2;
  const Solution early = solve_small(with, options);
  ASSERT_EQ(early.summary.termination.reason, "rounds");
  ASSERT_LT(early.summary.sites[kApart].discrepancy, 0.02);
  options.stop.rounds = 40;
  const Solution late = solve_small(with, options);
  EXPECT_EQ(late.summary.sites[kApart].residual, early.summary.sites[kApart].residual);
  EXPECT_LT(late.summary.objective, early.summary.objective);
}

// sigma of a site that is not coupled says nothing about the noise and the weights of the others.
TEST(UncoupledSite, HasNoSayInWeights) {
  const SmallStudy without = make_small_study(some_options(true));
  const SmallStudy with = with_uncoupled(without, 0.01, some_options(true));
  ASSERT_FALSE(without.study.weighted());
  EXPECT_FALSE(with.study.weighted());
  EXPECT_FALSE(with.study.noise_known());
  for (const std::size_t site : {0u, 2u, 3u}) {
    EXPECT_EQ(with.study.weight(site), without.study.weight(site - (site > kApart ? 1 : 0)));
  }
}

std::string refusal(const SmallStudy& small, const std::string& method) {
  SolveOptions options;
  options.method = method;
  options.stop.rounds = 2;
  options.stop.kkt = 1e-30;
  try {
    solve_small(small, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    return error.what();
  }
  return "";
}

TEST(UncoupledSite, IsRefusedByMethodsThatCoupleAllSites) {
  SmallStudy small = make_small_study(kPlain);
  small.study.sites.front().coefficient = 0;
  for (const std::string method : {"firm", "firm+", "fedpgd"}) {
    const std::string text = refusal(small, method);
    EXPECT_NE(text.find("firm-ds or another that can leave a site out of the coupling"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(method + ", and site xrf-1, which is not coupled"), std::string::npos)
        << text;
  }
  for (const std::string method : {"firm-ds", "pgd", "plsqr"}) {
    EXPECT_EQ(refusal(small, method), "") << method;
  }
}

TEST(UncoupledSite, NeedsOtherMatterIfAllAre) {
  SmallStudy small = make_small_study(kPlain);
  for (Site& site : small.study.sites) site.coefficient = 0;
  const std::string text = refusal(small, "firm-ds");
  EXPECT_NE(text.find("an XRF site that is coupled with XRT"), std::string::npos) << text;
  EXPECT_EQ(refusal(small, "pgd"), "");
  small.study.other = true;
  EXPECT_EQ(refusal(small, "firm-ds"), "");
}

}  // namespace
}  // namespace firm
