// Stop at the noise: the default where the noise of the sites is known.
#include "solve/noise_stop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solve/memory_archive.h"
#include "solve/stop_rules.h"
#include "support/small_study.h"

namespace firm {
namespace {

// A study with known noise: one site with m = 5 x 8 rays.
struct Watched {
  SmallStudy small = make_small_study({.seed = 5, .sites = 2, .rows = 5, .angles = 5});
  Problem problem;

  static SmallStudy known(double sigma) {
    SmallStudy small = make_small_study({.seed = 5, .sites = 2, .rows = 5, .angles = 5});
    for (Site& site : small.study.sites) site.sigma = sigma;
    return small;
  }
  explicit Watched(double sigma)
      : small(known(sigma)), problem(small.study, small.data, {.threads = 1}) {}

  double rays() const { return static_cast<double>(problem.rays()[0]); }
};

// Looks at a residual r^2 = square(k) until the rule ends; returns that step.
template <typename Square>
long steps_until_done(NoiseStop& stop, const Square& square, std::size_t pixels) {
  for (long k = 1; k < 100000; ++k) {
    if (!stop.due(k)) continue;
    stop.look(k, {square(static_cast<double>(k)), 1.0}, {pixels});
    if (stop.done(0)) return k;
  }
  return 0;
}

TEST(NoiseStop, EndsWhereResidualFallsNoFasterThanNoise) {
  const Watched w(1e-3);
  // r^2 = 1 + 1 / k: the rate is 1 / (k + 1) at k steps. Strength 0.5 and P = m / 4 end it at 1/8.
  NoiseStop stop(w.problem, {0}, 0.5);
  const auto pixels = static_cast<std::size_t>(w.rays() / 4);
  const long k = steps_until_done(
      stop, [](double n) { return 1 + 1 / n; }, pixels);
  EXPECT_GE(k, 8);
  EXPECT_LE(k, 12);
  // Smoother images with a larger strength, rougher with a smaller one.
  NoiseStop rough(w.problem, {0}, 0.1);
  EXPECT_GT(steps_until_done(
                rough, [](double n) { return 1 + 1 / n; }, pixels),
            2 * k);
}

TEST(NoiseStop, WaitsForResidualThatBeginsToFallSlowly) {
  const Watched w(1e-3);  // the residual stays far above the noise
  NoiseStop stop(w.problem, {0}, 0.5);
  const auto square = [](double k) { return 1e-3 + std::exp(-k / 300); };
  const long k = steps_until_done(stop, square, static_cast<std::size_t>(w.rays() / 2));
  EXPECT_GT(k, 1000);
  EXPECT_LT(square(static_cast<double>(k)), 0.01);
}

TEST(NoiseStop, EndsAtOnceBelowNoise) {
  const Watched w(2.0);  // all residuals are below sigma sqrt(m)
  NoiseStop stop(w.problem, {0}, 0.5);
  const auto square = [](double k) { return 1e-3 + std::exp(-k / 300); };
  EXPECT_LT(steps_until_done(stop, square, static_cast<std::size_t>(w.rays() / 2)), 10);
}

TEST(NoiseStop, EndsBetweenItsBounds) {
  const Watched w(1e-3);
  const auto pixels = static_cast<std::size_t>(w.rays() / 4);
  const auto square = [](double k) { return 1 + 1 / k; };
  NoiseStop plain(w.problem, {0}, 0.5);
  const long k = steps_until_done(plain, square, pixels);
  NoiseStop early(w.problem, {0}, 0.5);
  early.set_bounds(0, {.least = 1.5, .most = 2});
  EXPECT_EQ(steps_until_done(early, square, pixels), 2);
  NoiseStop late(w.problem, {0}, 0.5);
  late.set_bounds(0, {.least = 1, .most = 1.01});
  EXPECT_GE(steps_until_done(late, square, pixels), 100);
  EXPECT_LT(k, 100);
  EXPECT_TRUE(late.within(0, 1.01));
  EXPECT_FALSE(late.within(0, 1.02));
}

TEST(NoiseStop, IsDoneWithDataOfZeros) {
  const Watched w(0.5);
  NoiseStop stop(w.problem, {0}, 0.5);
  EXPECT_EQ(steps_until_done(
                stop, [](double) { return 0.0; }, 0),
            1);
  EXPECT_EQ(stop.open(), 0u);
}

TEST(NoiseStop, ContinuesFromArchive) {
  const Watched w(1e-3);
  const auto square = [](double k) { return 1 + 30 / (k * k); };
  NoiseStop whole(w.problem, {0}, 0.2);
  const long end = steps_until_done(whole, square, 20);
  ASSERT_GT(end, 10);
  NoiseStop first(w.problem, {0}, 0.2);
  for (long k = 1; k <= 9; ++k) {
    if (first.due(k)) first.look(k, {square(static_cast<double>(k)), 1.0}, {20});
  }
  MemoryArchive archive;
  first.archive(archive, "noise");
  archive.load();
  NoiseStop second(w.problem, {0}, 0.2);
  second.archive(archive, "noise");
  for (long k = 10; k <= end; ++k) {
    if (second.due(k)) second.look(k, {square(static_cast<double>(k)), 1.0}, {20});
    EXPECT_EQ(second.done(0), k == end) << k;
  }
}

TEST(DefaultRule, IsNoiseWhereSigmaIsKnown) {
  SmallStudy small = make_small_study({.seed = 6, .sites = 3, .rows = 6, .angles = 6});
  const SolveOptions plain;
  EXPECT_EQ(with_default_rule(plain, small.study, false).stop.noise, 0);
  small.study.sites[1].sigma = 0.1;
  EXPECT_EQ(with_default_rule(plain, small.study, false).stop.noise, kNoiseStrength);
  EXPECT_EQ(with_default_rule(plain, small.study, true).stop.noise, 0) << "with a prior";
  SolveOptions own;
  own.stop.kkt = 1e-3;
  EXPECT_EQ(with_default_rule(own, small.study, false).stop.noise, 0) << "with a rule";
}

TEST(DefaultRule, EndsEveryMethodOnKnownNoise) {
  for (const char* method : {"firm-ds", "fedpgd", "pgd", "plsqr"}) {
    SmallStudy small = make_small_study(
        {.seed = 8, .sites = 3, .rows = 8, .columns = 8, .angles = 8, .own_sigma = true});
    SolveOptions options;
    options.method = method;
    const Summary s = solve_small(small, options).summary;
    EXPECT_TRUE(s.termination.converged) << method;
    EXPECT_EQ(s.stop.noise, kNoiseStrength) << method;
    EXPECT_LT(s.rounds, 1000) << method;
  }
}

// A column that is done keeps its image, so it does not matter how long the others need.
TEST(DefaultRule, HoldsFinishedSiteWhileOthersContinue) {
  SmallStudy small = make_small_study(
      {.seed = 9, .sites = 3, .rows = 10, .columns = 10, .angles = 9, .own_sigma = true});
  SolveOptions options;
  options.method = "pgd";
  const Solution together = solve_small(small, options);
  for (std::size_t site = 0; site + 1 < small.study.sites.size(); ++site) {
    SmallStudy pair = small;
    pair.study.sites = {small.study.sites[site], small.study.sites.back()};
    pair.data = {small.data[site], small.data.back()};
    pair.data[0].site = 0;
    pair.data[1].site = 1;
    const Solution alone = solve_small(pair, options);
    for (std::size_t p = 0; p < small.study.pixels(); ++p) {
      ASSERT_NEAR(alone.images(p, 0), together.images(p, site), 1e-5) << site << " " << p;
    }
  }
}

}  // namespace
}  // namespace firm
