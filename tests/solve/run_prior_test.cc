// The prior that the options of a run ask for: its strength, weights, stop rules and state.
#include "solve/priors/run_prior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "firm/error.h"
#include "sim/simulated_study.h"
#include "solve/barrier_collective.h"
#include "solve/memory_archive.h"
#include "solve/priors/prior_strength.h"
#include "solve/priors/tv_weights.h"
#include "solve/solver.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr double kNoise = 0.05;

SimulatedStudy phantom(int size = 32) {
  return study_of(simulate({.size = size, .angles = 15, .noise = kNoise, .threads = 1}));
}

SolveOptions with_prior(double strength = 0) {
  SolveOptions options;
  options.prior.kind = "tv";
  options.prior.strength = strength;
  options.stop.discrepancy = kNoise;
  return options;
}

Solution solve_with(const SimulatedStudy& made, const SolveOptions& options, int threads = 1) {
  Problem problem(made.study, made.data, {.threads = threads});
  LocalCollective collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = options;
  input.truth = &made.truth;
  return solve(input);
}

double relative_distance(const Block& a, const Block& b) {
  double difference = 0;
  double size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference +=
        std::pow(static_cast<double>(a.values()[k]) - static_cast<double>(b.values()[k]), 2);
    size += std::pow(static_cast<double>(b.values()[k]), 2);
  }
  return std::sqrt(difference / size);
}

bool same_bytes(const Block& a, const Block& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Multiplies data and, if known, noise by a factor.
SimulatedStudy scaled(SimulatedStudy made, float factor) {
  for (SiteData& data : made.data) {
    for (float& value : data.values.values()) value *= factor;
    data.largest *= static_cast<double>(factor);
  }
  for (float& value : made.truth.values()) value *= factor;
  return made;
}

TEST(PriorWeight, HasRmsColumnNormOfMatrix) {
  const Geometry g = paper_geometry(24, 9, 0.5);
  Operators a({&g}, 1, 1);
  Block pixel(g.pixels(), 1);
  Sinograms y = a.make_sinograms();
  double squares = 0;
  for (std::size_t p = 0; p < g.pixels(); ++p) {
    pixel(p, 0) = 1;
    a.forward(pixel, y);
    for (const float v : y.front().values()) squares += std::pow(static_cast<double>(v), 2);
    pixel(p, 0) = 0;
  }
  const double exact = std::sqrt(squares / static_cast<double>(g.pixels()));
  EXPECT_NEAR(rms_column_norm(&g, g.pixels(), 1), exact, 0.01 * exact);
  EXPECT_EQ(rms_column_norm(&g, g.pixels(), 2), rms_column_norm(&g, g.pixels(), 1));
}

TEST(PriorWeight, IsProportionalToNoiseAndWeight) {
  const SmallStudy small = make_small_study({.other = true, .own_sigma = true});
  Problem problem(small.study, small.data, {.threads = 1});
  const std::vector<double> noise = column_noise(problem, 0, false, true);
  const std::vector<double> lambda = unit_lambdas(problem, noise);
  const std::size_t xrt = problem.transmission();
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    const Variable& own = problem.variables()[v];
    const Variable& with_data = own.measured ? own : problem.variables()[xrt];
    const double h = rms_column_norm(&with_data.geometry, problem.pixels(), 1);
    EXPECT_NEAR(lambda[v], 2 * h / with_data.sigma, 1e-9 * lambda[v]) << own.name;
  }
}

TEST(PriorNoise, IsDiscrepancyLevelThenSigmaThenPartOfLargestValue) {
  SmallStudy small = make_small_study({});
  small.data[0].guessed_sigma = 0.25;
  Problem problem(small.study, small.data, {.threads = 1});
  const std::vector<double>& largest = problem.largest();
  EXPECT_EQ(column_noise(problem, 0.1, false, true)[0], 0.1 * largest[0]);
  EXPECT_EQ(column_noise(problem, 0, false, true)[0], 0.25);
  EXPECT_EQ(column_noise(problem, 0, false, true)[1], 1e-3 * largest[1]);
}

TEST(PriorNoise, BelongsToSliceOrIsEqualForAll) {
  const SmallStudy small = make_small_study({.slices = 2});
  Problem problem(small.study, small.data, {.threads = 1});
  const std::vector<double>& largest = problem.largest();
  ASSERT_NE(largest[0], largest[1]);
  EXPECT_EQ(column_noise(problem, 0.1, false, true)[1], 0.1 * largest[1]);
  const double mean = 0.1 * std::hypot(largest[0], largest[1]) / std::sqrt(2.0);
  EXPECT_NEAR(column_noise(problem, 0.1, true, true)[0], mean, 1e-12);
  EXPECT_NEAR(column_noise(problem, 0.1, true, true)[1], mean, 1e-12);
}

TEST(PriorStrength, IsAtVertexOfParabola) {
  std::vector<PriorSummary::Point> curve;
  for (const double rho : strength_grid()) {
    curve.push_back({rho, 3 + std::pow(std::log(rho / 0.6), 2)});
  }
  EXPECT_NEAR(strength_at_minimum(curve), 0.6, 1e-9);
}

TEST(PriorStrength, IsAtEndOfGridIfErrorFallsUpToIt) {
  std::vector<PriorSummary::Point> rising;
  std::vector<PriorSummary::Point> falling;
  for (const double rho : strength_grid()) {
    rising.push_back({rho, 1 / rho});
    falling.push_back({rho, rho});
  }
  EXPECT_EQ(strength_at_minimum(rising), strength_grid().front());
  EXPECT_EQ(strength_at_minimum(falling), strength_grid().back());
}

TEST(RunPrior, FindsStrengthNearBestOne) {
  const SimulatedStudy made = phantom(64);
  const Solution found = solve_with(made, with_prior());
  double best = solve_with(made, with_prior(0.35)).summary.error.value();
  for (const double strength : {0.5, 0.7, 1.0, 1.4, 2.0}) {
    best = std::min(best, solve_with(made, with_prior(strength)).summary.error.value());
  }
  EXPECT_LT(found.summary.error.value(), 1.05 * best);
  SolveOptions none = with_prior();
  none.prior.kind = "none";
  EXPECT_LT(found.summary.error.value(), 0.9 * solve_with(made, none).summary.error.value());
  EXPECT_LE(found.summary.rounds, 4);
  EXPECT_TRUE(found.summary.termination.converged);
}

TEST(RunPrior, DescribesSearch) {
  const Summary s = solve_with(phantom(), with_prior()).summary;
  ASSERT_TRUE(s.prior.has_value());
  EXPECT_EQ(s.prior->kind, "tv");
  EXPECT_TRUE(s.prior->automatic);
  ASSERT_EQ(s.prior->curve.size(), strength_grid().size());
  EXPECT_NEAR(s.prior->strength, 1.4 * strength_at_minimum(s.prior->curve), 1e-12);
  ASSERT_EQ(s.prior->weights.size(), 3u);  // firm-ds solves for the XRF images
  for (const auto& weight : s.prior->weights) EXPECT_GT(weight.lambda, 0) << weight.name;
}

TEST(RunPrior, IsToldBeforeFirstRound) {
  const SimulatedStudy made = phantom(16);
  std::vector<double> told;
  int rounds = 0;
  Observer observer;
  observer.on_prior = [&](const PriorSummary& prior) {
    EXPECT_EQ(rounds, 0);
    EXPECT_EQ(prior.curve.size(), strength_grid().size());
    EXPECT_EQ(prior.weights.size(), 3u);
    told.push_back(prior.strength);
  };
  observer.on_round = [&](const RoundRecord&, int) { ++rounds; };
  const Solution with = solve_small(made, with_prior(), observer);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front(), with.summary.prior->strength);
  EXPECT_GT(rounds, 0);
  rounds = 0;
  SolveOptions none;
  none.stop.discrepancy = kNoise;
  solve_small(made, none, observer);
  EXPECT_EQ(told.size(), 1u) << "told of a prior that is not there";
}

TEST(RunPrior, SkipsSearchIfStrengthIsGiven) {
  const SimulatedStudy made = phantom();
  const Summary found = solve_with(made, with_prior()).summary;
  const Summary given = solve_with(made, with_prior(found.prior->strength)).summary;
  EXPECT_FALSE(given.prior->automatic);
  EXPECT_TRUE(given.prior->curve.empty());
  for (std::size_t k = 0; k < given.prior->weights.size(); ++k) {
    EXPECT_EQ(given.prior->weights[k].lambda, found.prior->weights[k].lambda);
  }
  // One sum each for the rounds that are the same.
  EXPECT_EQ(found.exchanges - found.rounds, given.exchanges - given.rounds + 1);
}

TEST(RunPrior, IsIndependentOfUnits) {
  const SimulatedStudy made = phantom();
  const Solution one = solve_with(made, with_prior());
  const Solution thousand = solve_with(scaled(made, 1000), with_prior());
  EXPECT_NEAR(thousand.summary.prior->strength, one.summary.prior->strength,
              1e-4 * one.summary.prior->strength);
  Block back = thousand.images;
  for (float& value : back.values()) value /= 1000;
  EXPECT_LT(relative_distance(back, one.images), 1e-4);
}

TEST(RunPrior, DependsOnSeedOnlyThroughStrength) {
  const SimulatedStudy made = phantom();
  SolveOptions other = with_prior();
  other.seed = 2;
  EXPECT_NE(solve_with(made, other).summary.prior->strength,
            solve_with(made, with_prior()).summary.prior->strength);
  SolveOptions given = with_prior(0.8);
  const Block images = solve_with(made, given).images;
  given.seed = 2;
  EXPECT_TRUE(same_bytes(solve_with(made, given).images, images));
}

TEST(RunPrior, GivesSameBytesWithAnyThreads) {
  const SimulatedStudy made = phantom();
  const Block one = solve_with(made, with_prior()).images;
  for (const int threads : {2, 3}) {
    EXPECT_TRUE(same_bytes(solve_with(made, with_prior(), threads).images, one)) << threads;
  }
}

TEST(RunPrior, IsRefusedByMethodsWithoutProximalStep) {
  const SimulatedStudy made = phantom();
  for (const char* method : {"firm", "firm+", "fedpgd", "plsqr"}) {
    SolveOptions options = with_prior();
    options.method = method;
    try {
      solve_with(made, options);
      ADD_FAILURE() << method;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::kUsage);
      EXPECT_CONTAINS(std::string(e.what()), "supports a prior (firm-ds, pgd)");
      EXPECT_CONTAINS(std::string(e.what()), method);
    }
  }
}

TEST(RunPrior, DoesNotStopByDiscrepancy) {
  const Summary s = solve_with(phantom(), with_prior()).summary;
  EXPECT_NE(s.termination.reason, "discrepancy");
  EXPECT_EQ(s.stop.discrepancy, 0);
  EXPECT_GT(s.stop.change, 0);
}

TEST(RunPrior, KeepsStopRulesOfUser) {
  SolveOptions options = with_prior(1);
  options.stop.kkt = 0.5;
  const Summary s = solve_with(phantom(), options).summary;
  EXPECT_EQ(s.termination.reason, "kkt");
  EXPECT_EQ(s.stop.change, 0);
}

TEST(RunPrior, NeverRaisesObjective) {
  const SimulatedStudy made = phantom();
  Problem problem(made.study, made.data, {.threads = 1});
  LocalCollective collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = with_prior();
  input.options.ds.local_steps = 10;
  input.options.stop.rounds = 20;
  std::vector<double> objectives;
  input.observer.on_round = [&](const RoundRecord& r, int) { objectives.push_back(r.objective); };
  solve(input);
  ASSERT_GT(objectives.size(), 3u);
  for (std::size_t k = 1; k < objectives.size(); ++k) {
    EXPECT_LE(objectives[k], objectives[k - 1] * (1 + 1e-6)) << k;
  }
}

// A strong prior leaves no edges: the best image is constant.
TEST(RunPrior, MakesImagesConstantIfStrong) {
  const Solution s = solve_with(phantom(), with_prior(1e4));
  for (std::size_t c = 0; c < 3; ++c) {
    float low = s.images(0, c);
    float high = low;
    for (std::size_t p = 0; p < s.images.rows(); ++p) {
      low = std::min(low, s.images(p, c));
      high = std::max(high, s.images(p, c));
    }
    EXPECT_GT(high, 0) << c;
    EXPECT_LT(high - low, 0.05f * high) << c;
  }
}

TEST(RunPrior, ActsOnEachSiteAloneWithPgd) {
  SolveOptions options = with_prior();
  options.method = "pgd";
  options.pgd.accelerated = true;
  const SimulatedStudy made = phantom();
  const Solution s = solve_with(made, options);
  EXPECT_EQ(s.summary.prior->weights.size(), 4u);
  EXPECT_TRUE(s.summary.termination.converged);
  options.prior.kind = "none";
  EXPECT_LT(s.summary.error.value(), solve_with(made, options).summary.error.value());
}

// Saves the state before round `round`, and resumes from it.
void expect_same_bytes_after_resume(int round) {
  const SimulatedStudy made = phantom();
  MemoryArchive state;
  std::vector<Solution> results;
  for (const bool resuming : {false, true}) {
    Problem problem(made.study, made.data, {.threads = 1});
    LocalCollective collective;
    SolveInput input;
    input.problem = &problem;
    input.collective = &collective;
    input.options = with_prior();
    input.options.ds.local_steps = 5;
    input.options.stop.rounds = 6;
    if (resuming) {
      input.options.seed = 99;  // a new search would leave out other rays
      state.load();
      input.resume = &state;
    }
    input.on_state = [&](int at, bool, const std::function<void(Archive&)>& save) {
      if (!resuming && at == round) save(state);
    };
    results.push_back(solve(input));
  }
  EXPECT_TRUE(same_bytes(results[0].images, results[1].images)) << round;
  const PriorSummary& before = results[0].summary.prior.value();
  const PriorSummary& after = results[1].summary.prior.value();
  EXPECT_EQ(after.strength, before.strength);
  for (std::size_t k = 0; k < before.curve.size(); ++k) {
    EXPECT_EQ(after.curve[k].error, before.curve[k].error) << k;
  }
}

TEST(RunPrior, ResumesWithoutSearchToSameBytes) {
  expect_same_bytes_after_resume(0);
  expect_same_bytes_after_resume(3);
}

TEST(RunPrior, AgreesBetweenSeparateSitesAndAllTogether) {
  const SimulatedStudy made = phantom();
  const Solution together = solve_with(made, with_prior());
  Rendezvous rendezvous(made.data.size());
  std::vector<Solution> apart(made.data.size());
  std::vector<std::thread> sites;
  for (std::size_t i = 0; i < made.data.size(); ++i) {
    sites.emplace_back([&, i] {
      Problem problem(made.study, {made.data[i]}, {.threads = 1});
      BarrierCollective collective(rendezvous, i);
      SolveInput input;
      input.problem = &problem;
      input.collective = &collective;
      input.options = with_prior();
      apart[i] = solve(input);
    });
  }
  for (std::thread& site : sites) site.join();
  const Summary& expected = together.summary;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const Summary& s = apart[i].summary;
    EXPECT_NEAR(s.prior->strength, expected.prior->strength, 1e-4 * expected.prior->strength);
    EXPECT_EQ(s.prior->weights.size(), i + 1 < apart.size() ? 1u : 0u);
    EXPECT_EQ(s.rounds, expected.rounds);
    ASSERT_TRUE(s.certificate.gap && expected.certificate.gap);
    EXPECT_NEAR(*s.certificate.gap, *expected.certificate.gap, 1e-3 * expected.objective);
    Block image(together.images.rows(), 1);
    for (std::size_t p = 0; p < image.rows(); ++p) image(p, 0) = together.images(p, i);
    EXPECT_LT(relative_distance(apart[i].images, image), 1e-3) << i;
  }
}

TEST(RunPrior, ComparesSlices) {
  SimulatedStudy made =
      study_of(simulate({.size = 24, .angles = 9, .slices = 3, .noise = kNoise, .threads = 1}));
  // The same noise, and with it the same weight, in all slices.
  for (SiteData& data : made.data) data.largest = *std::ranges::max_element(data.values.values());
  SolveOptions options = with_prior(0.5);
  const Solution apart = solve_with(made, options);
  options.prior.slices = true;
  const Solution compared = solve_with(made, options);
  EXPECT_LT(compared.summary.error.value(), apart.summary.error.value());  // slices are equal
  made.study.slice_spacing = 1e6 * made.study.pixel_size;
  EXPECT_LT(relative_distance(solve_with(made, options).images, apart.images), 1e-3);
}

}  // namespace
}  // namespace firm
