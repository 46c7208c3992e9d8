// The primal-dual method for data of little noise.
#include "solve/priors/primal_dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sim/noise.h"
#include "support/small_study.h"

namespace firm {
namespace {

TEST(DetectorFilter, MultipliesFrequenciesBySymbol) {
  for (const std::size_t n : {1u, 2u, 7u, 16u, 33u}) {
    const DetectorFilter filter(n, [](double f) { return 1 + 3 * f; });
    for (std::size_t k = 0; k <= n / 2; ++k) {
      const double f = static_cast<double>(k) / static_cast<double>(n);
      std::vector<float> x(n);
      for (std::size_t j = 0; j < n; ++j) {
        x[j] = static_cast<float>(std::cos(2 * std::numbers::pi * f * static_cast<double>(j)));
      }
      std::vector<float> twice(2 * n);
      std::vector<float> y(n, 1.0f);
      filter.add(x, twice, y);
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_NEAR(y[j], 1 + (1 + 3 * f) * static_cast<double>(x[j]), 1e-5) << n << " " << k;
      }
    }
  }
}

// Two sites of a small study: firm-ds with a prior, by proximal gradient and by primal-dual steps.
Solution solved(double noise, int rounds, int threads = 1) {
  SmallStudy small = make_small_study(
      {.seed = 4, .sites = 3, .rows = 12, .columns = 10, .angles = 12, .noise = noise});
  SolveOptions options;
  options.prior.kind = "tv";
  options.prior.strength = 1;
  options.stop.discrepancy = noise;
  options.stop.rounds = rounds;
  options.stop.kkt = 1e-12;
  return solve_small(small, options, {}, threads);
}

TEST(PrimalDual, ReachesOptimumOfProximalGradientSteps) {
  // The threshold of the noise lies between; the noise tells the weight of the prior only.
  SmallStudy small = make_small_study(
      {.seed = 4, .sites = 3, .rows = 12, .columns = 10, .angles = 12, .noise = 0.01});
  const auto objective = [&](double level, double strength, const std::string& solver) {
    SolveOptions options;
    options.prior.kind = "tv";
    options.prior.strength = strength;
    options.prior.inner = 50;
    options.stop.discrepancy = level;
    options.stop.rounds = 200;
    options.stop.kkt = 1e-9;
    const Solution s = solve_small(small, options);
    EXPECT_EQ(s.summary.prior->solver, solver);
    return s.summary.objective;
  };
  // Strength times noise, and with it lambda, is equal.
  const double by_steps = objective(0.002, 1, "proximal gradient");
  const double by_duals = objective(0.001, 2, "primal-dual");
  EXPECT_NEAR(by_duals, by_steps, 1e-3 * by_steps);
}

TEST(PrimalDual, GivesTheSameBytesForAnyNumberOfThreads) {
  const Solution one = solved(0.001, 3, 1);
  const Solution two = solved(0.001, 3, 2);
  ASSERT_EQ(one.summary.prior->solver, "primal-dual");
  for (std::size_t k = 0; k < one.images.size(); ++k) {
    ASSERT_EQ(one.images.data()[k], two.images.data()[k]) << k;
  }
}

// The noise of a slice, and with it the weight of its prior, is a part of its largest value.
TEST(PrimalDual, WeighsPriorOfEachSlice) {
  SmallStudy both = make_small_study(
      {.seed = 4, .sites = 3, .rows = 12, .columns = 10, .angles = 12, .slices = 2, .noise = 0.01});
  SolveOptions options;
  options.prior.kind = "tv";
  options.prior.strength = 2;
  options.stop.discrepancy = 0.001;
  options.stop.rounds = 20;
  options.stop.kkt = 1e-12;
  std::vector<SmallStudy> alone(2, both);
  for (std::size_t z = 0; z < 2; ++z) {
    alone[z].study.slices = 1;
    for (SiteData& site : both.data) {
      Block& one = alone[z].data[site.site].values;
      one = Block(site.values.rows(), 1);
      for (std::size_t ray = 0; ray < one.rows(); ++ray) {
        site.values(ray, z) *= z == 0 ? 1.0f : 30.0f;
        one(ray, 0) = site.values(ray, z);
      }
    }
  }
  const Solution together = solve_small(both, options);
  ASSERT_EQ(together.summary.prior->solver, "primal-dual");
  for (std::size_t z = 0; z < 2; ++z) {
    const Solution one = solve_small(alone[z], options);
    double square = 0;
    double norm = 0;
    for (std::size_t p = 0; p < one.images.rows(); ++p) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double value = one.images(p, i);
        square += std::pow(value - together.images(p, 2 * i + z), 2);
        norm += value * value;
      }
    }
    EXPECT_LT(std::sqrt(square / norm), 0.005) << "slice " << z;
  }
}

}  // namespace
}  // namespace firm
