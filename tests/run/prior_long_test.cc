// Total variation with automatic strength on the phantoms of `firm simulate`, at full size: the
// table of docs/method.md.
#include <gtest/gtest.h>

#include <algorithm>

#include "run/ratios.h"
#include "sim/simulated_study.h"
#include "solve/solver.h"

namespace firm {
namespace {

constexpr int kMostRounds = 4;

Summary summary_of(const SimulateOptions& simulated, double strength = 0) {
  const SimulatedStudy made = study_of(simulate(simulated));
  Problem problem(made.study, made.data);
  LocalCollective collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options.prior.kind = "tv";
  input.options.prior.strength = strength;
  input.options.stop.discrepancy = simulated.noise;
  input.truth = &made.truth;
  return solve(input).summary;
}

struct Limit {
  double noise;
  double error;
};

TEST(PriorOfPaper, IsCloseToTruth) {
  for (const Limit& limit : {Limit{0.01, 10.8}, Limit{0.05, 27.5}, Limit{0.1, 39.5}}) {
    double mean = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Summary s = summary_of({.noise = limit.noise, .seed = seed});
      EXPECT_TRUE(s.termination.converged);
      EXPECT_LE(s.rounds, kMostRounds) << limit.noise;
      mean += s.error.value() / 3;
    }
    EXPECT_LE(mean, limit.error) << limit.noise;
  }
}

TEST(PriorOfPaper, IsCloseToTruthWithFewAngles) {
  const Summary s = summary_of({.angles = 10, .noise = 0.01});
  EXPECT_LE(s.error.value(), 24.7);
  EXPECT_LE(s.rounds, kMostRounds);
}

TEST(PriorOfShapes, HasStrengthNearBestByHand) {
  for (const double noise : {0.01, 0.05, 0.1}) {
    const SimulateOptions simulated{.preset = "shapes", .noise = noise};
    const Summary found = summary_of(simulated);
    EXPECT_LE(found.rounds, kMostRounds) << noise;
    double best = found.error.value();
    for (const double strength : {0.35, 0.5, 0.7, 1.0, 1.4, 2.0}) {
      best = std::min(best, summary_of(simulated, strength).error.value());
    }
    EXPECT_LE(found.error.value(), 1.05 * best) << noise;
  }
}

// The table of objects in docs/method.md has three noise levels and three numbers of angles.
TEST(PriorOfObjects, IsCloserToTruthOnAverageAndSeldomFarther) {
  std::vector<ObjectOptions> cases;
  for (const std::string& kind : prior_object_kinds()) {
    for (const double noise : {0.01, 0.1}) {
      for (const int angles : {15, 90}) {
        cases.push_back({.kind = kind, .size = 64, .angles = angles, .noise = noise, .seed = 2});
      }
    }
  }
  const Ratios ratios = prior_over_none(cases);
  EXPECT_LE(ratios.mean, 0.8);
  EXPECT_LE(ratios.worst, 1.2) << ratios.worst_case;
}

}  // namespace
}  // namespace firm
