// The paper's experiment at full size: checks its results for FIRM, and the rounds that other
// methods need for the same objective. Takes up to a minute.
#include <gtest/gtest.h>

#include <cmath>

#include "support/small_study.h"

namespace firm {
namespace {

struct Outcome {
  Summary summary;
  double error;  // distance to the truth over all sites
};

Outcome run(const SolveOptions& options, double noise = 0) {
  SimulateOptions simulation;
  simulation.noise = noise;
  const SmallStudy study = study_of(simulate(simulation));
  const Solution solution = solve_small(study, options, {}, 0);
  double square = 0;
  for (std::size_t k = 0; k < study.truth.size(); ++k) {
    const auto d = static_cast<double>(solution.images.values()[k] - study.truth.values()[k]);
    square += d * d;
  }
  return {solution.summary, std::sqrt(square)};
}

TEST(Paper, FirmStopsAtRoundOfPaper) {
  SolveOptions options;
  options.method = "firm";
  const auto [s, error] = run(options);
  EXPECT_EQ(s.termination.reason, "eps");
  EXPECT_NEAR(s.rounds, 10130, 101);
  EXPECT_NEAR(s.objective, 3.1e-8, 0.62e-8);
  EXPECT_NEAR(error, 18.3, 0.2);
  EXPECT_NEAR(s.lambda_max, 6.04e-5, 0.01e-5);
}

TEST(Paper, FirmDsReachesSameObjectiveInEightRounds) {
  SolveOptions options;
  options.method = "firm-ds";
  options.stop.objective = 3.15e-8;
  options.stop.rounds = 20;
  const Summary s = run(options).summary;
  EXPECT_EQ(s.termination.reason, "objective");
  EXPECT_LE(s.rounds, 8);
}

// FIRM needs 188 rounds and ends at a distance of 24.1 from the truth.
TEST(Paper, FirmDsFitsNoisyDataInSixRoundsAndIsNearerToTruth) {
  SolveOptions options;
  options.method = "firm-ds";
  options.stop.discrepancy = 0.01;
  options.stop.rounds = 20;
  const auto [s, error] = run(options, 0.01);
  EXPECT_EQ(s.termination.reason, "discrepancy");
  EXPECT_LE(s.rounds, 6);
  EXPECT_LT(error, 24.1);
}

TEST(Paper, AcceleratedFedPgdReachesSameObjectiveInThreeHundredRounds) {
  SolveOptions options;
  options.method = "fedpgd";
  options.fedpgd.accelerated = true;
  options.stop.objective = 3.14e-8;
  options.stop.rounds = 400;
  const Summary s = run(options).summary;
  EXPECT_EQ(s.termination.reason, "objective");
  EXPECT_LE(s.rounds, 310);
}

}  // namespace
}  // namespace firm
