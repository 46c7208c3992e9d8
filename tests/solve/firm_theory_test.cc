// The paper's statements about FIRM, as properties of the code: a round is a gradient step
// (prop:qp), it descends (lemm:descent, lemm:monotone), and images at the end of an inner loop are
// nearly optimal (lemm:term-opt, prop:opt-gap, prop:opt-gap-orig). All sides are computed from
// dense matrices in double precision.
#include <gtest/gtest.h>

#include "solve/dense_optimum.h"
#include "solve/dense_penalty.h"
#include "solve/memory_archive.h"
#include "solve/methods/firm.h"
#include "solve/methods/firm_plus.h"
#include "support/small_study.h"

namespace firm {
namespace {

Matrix random_images(const SmallStudy& small, std::uint64_t seed) {
  Random random(seed, 9);
  Matrix w = to_matrix(small.truth);
  for (double& value : w.reshaped()) {
    value = static_cast<double>(static_cast<float>(std::max(0.0, random.uniform() - 0.2)));
  }
  return w;
}

// Writes values into the state of a method.
void set_state(Method& method, const std::string& name, const Matrix& values) {
  MemoryArchive archive;
  method.archive(archive);
  const Block block = to_block(values);
  archive.floats.at(name).assign(block.values().begin(), block.values().end());
  archive.load();
  method.archive(archive);
}

// Options that never shrink the step.
FirmOptions constant_step() { return {.hold = 1000000, .eps = 1e-9}; }

// Runs Firm on a study round by round, with all sites in this process.
template <typename FirmType>
struct Driver {
  // `eta`: the first step.
  Driver(const SmallStudy& small, double eta, const FirmOptions& firm = constant_step())
      : problem(small.study, small.data, {1}), method(problem, options(problem, eta, firm)) {}

  static SolveOptions options(const Problem& problem, double eta, const FirmOptions& firm) {
    SolveOptions o;
    o.method = "firm";
    o.firm = firm;
    o.firm.step_scale = eta * 4 * problem.lambda_max() / 3;
    return o;
  }

  // Runs a round up to the point where its step is known; returns false if the outer loop has
  // ended.
  bool begin() {
    for (;;) {
      method.share();
      const Verdict verdict = method.judge();
      if (verdict.done) return false;
      if (!verdict.repeat) return true;
      ++repeats;
    }
  }
  Matrix images() { return to_matrix(method.images()); }
  // Runs one round and returns its images.
  Matrix round() {
    EXPECT_TRUE(begin());
    method.update();
    return images();
  }

  Problem problem;
  FirmType method;
  int repeats = 0;
};

// Studies with coefficients as in the paper and larger ones, one slice and several.
std::vector<SmallStudy> some_studies() {
  std::vector<SmallStudy> all;
  for (std::size_t sites = 2; sites <= 5; ++sites) {
    all.push_back(make_small_study({.seed = sites, .sites = sites, .slices = sites % 2 + 1}));
  }
  all.push_back(make_small_study({.seed = 6, .coefficient_sum = 1.3}));
  all.push_back(make_small_study({.seed = 7, .coefficient_sum = 200}));
  for (Site& site : all.front().study.sites) site.sigma = 20;
  return all;
}

void expect_close(const Matrix& found, const Matrix& expected, const std::string& study) {
  EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm()) << study;
}

TEST(FirmRound, IsProjectedGradientStepOnPenalty) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    for (const double part : {1.0, 0.1, 0.001}) {
      const double eta = part * 3 / (4 * penalty.lambda);
      Driver<Firm> firm(small, eta);
      const Matrix x = penalty.scaled(random_images(small, 1));
      set_state(firm.method, "w", penalty.unscaled(x));
      expect_close(penalty.scaled(firm.round()), (x - eta * penalty.q_gradient(x, eta)).cwiseMax(0),
                   small.study.name);
    }
  }
}

TEST(FirmPlusRound, IsProjectedGradientStepOnAugmentedLagrangian) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    const double eta = 1 / (4 * penalty.lambda);
    Driver<FirmPlus> firm(small, eta);
    const Matrix x = penalty.scaled(random_images(small, 2));
    const Matrix mu = random_images(small, 3).leftCols(penalty.dense.slices()).array() - 0.4;
    set_state(firm.method, "w", penalty.unscaled(x));
    set_state(firm.method, "mu", mu);
    const Matrix gradient = penalty.q_gradient(x, eta) + penalty.d_transposed(mu);
    expect_close(penalty.scaled(firm.round()), (x - eta * gradient).cwiseMax(0), small.study.name);
    expect_close(to_matrix(firm.method.multiplier()), mu, "unchanged multiplier");
  }
}

// A loose tolerance ends every inner loop after one round.
TEST(FirmPlusRound, UpdatesMultiplierAfterInnerLoop) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    const double eta = 1 / (4 * penalty.lambda);
    Driver<FirmPlus> firm(small, eta, {.hold = 0, .eps = 1e-9, .rule = "relative"});
    set_state(firm.method, "w", random_images(small, 5));
    const Matrix u = penalty.scaled(firm.round());
    const Matrix before = to_matrix(firm.method.multiplier());
    firm.begin();
    ASSERT_NEAR(firm.method.step_size() / (0.9 * eta), 1, 1e-9);
    const Matrix expected = before + penalty.d(u) / (2 * eta);  // (dual_update)
    expect_close(to_matrix(firm.method.multiplier()), expected, small.study.name);
  }
}

// At the end of the run the sum may lack D u, so the multiplier keeps its value.
TEST(FirmPlusRound, KeepsMultiplierAfterOuterLoop) {
  const SmallStudy small = make_small_study({.seed = 8, .sites = 3, .pixel_size = 0.3});
  Driver<FirmPlus> firm(small, 0.3, {.hold = 0, .ratio = 0.5, .eps = 0.05});
  Matrix mu;
  while (firm.begin()) {
    mu = to_matrix(firm.method.multiplier());
    firm.method.update();
  }
  EXPECT_GT(firm.repeats, 0);
  EXPECT_GT(mu.norm(), 0);
  EXPECT_EQ((to_matrix(firm.method.multiplier()) - mu).norm(), 0);
}

// Runs rounds with one eta from random images and calls check(x, x+).
template <typename Check>
void each_round(const SmallStudy& small, double eta, int rounds, const Check& check) {
  const Penalty penalty(small);
  Driver<Firm> firm(small, eta);
  Matrix x = penalty.scaled(random_images(small, 4));
  set_state(firm.method, "w", penalty.unscaled(x));
  for (int k = 0; k < rounds; ++k) {
    const Matrix next = penalty.scaled(firm.round());
    check(x, next);
    x = next;
  }
}

// Checks lemm:descent for some rounds with one eta.
void expect_descent(const SmallStudy& small, const Penalty& penalty, double eta) {
  const double rounding = 1e-7 * penalty.dense.objective_at_zero();
  each_round(small, eta, 30, [&](const Matrix& x, const Matrix& next) {
    const double promised = penalty.q(x, eta) - (next - x).squaredNorm() / (4 * eta);
    EXPECT_LE(penalty.q(next, eta), promised + rounding) << small.study.name << " " << eta;
  });
}

TEST(FirmRound, DescendsUpToBound) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    const double bound = descent_bound(small.study, penalty.lambda);
    EXPECT_NEAR(bound * penalty.smoothness(bound), 1.5, 1e-12);
    for (const double eta : {bound, bound / 2, bound / 30}) expect_descent(small, penalty, eta);
  }
}

// Sharper than the paper's bound: with q = ||D||^2 <= 2, the Hessian of Q has the curvatures 2 l
// across D and (2 - q) l + q / (2 eta) along D, l an eigenvalue of A^T A. None is above 3 / (2 eta)
// for eta = 3 / (4 lambda_max), the first step of the paper's experiments.
TEST(FirmRound, DescendsAtFirstStepOfPaper) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    const double eta = 3 / (4 * penalty.lambda);
    ASSERT_GT(eta, descent_bound(small.study, penalty.lambda));
    expect_descent(small, penalty, eta);
  }
}

TEST(FirmRound, CanAscendAboveBound) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    const double eta = 1.5 / penalty.lambda;
    int rises = 0;
    each_round(small, eta, 30, [&](const Matrix& x, const Matrix& next) {
      if (penalty.q(next, eta) > 1.01 * penalty.q(x, eta)) ++rises;
    });
    EXPECT_GT(rises, 0) << small.study.name;
  }
}

TEST(FirmRound, HasNonIncreasingStepNorms) {
  for (const SmallStudy& small : some_studies()) {
    const Penalty penalty(small);
    const double eta = (4 - penalty.d_squared) / (4 * penalty.lambda);  // eta L(eta) = 2
    ASSERT_NEAR(eta * penalty.smoothness(eta), 2, 1e-12);
    double before = 1e300;
    each_round(small, eta, 60, [&](const Matrix& x, const Matrix& next) {
      const double step = (next - x).norm();
      EXPECT_LE(step, before + 1e-6 * next.norm()) << small.study.name;
      before = step;
    });
  }
}

// Definition sub-opt-penalty.
void expect_eta_optimal(const Penalty& penalty, const Matrix& x, double eta) {
  const Matrix g = penalty.q_gradient(x, eta);
  double square = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (x(k) > eta * eta) square += g(k) * g(k);
  }
  const double most = eta * (1 + 1e-3);
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_LE(std::sqrt(square), most);
  EXPECT_GE(g.minCoeff(), -most);
}

// Checks the paper's bounds for u^k, the images at the end of inner loop k.
void expect_close_to_optimum(const Penalty& penalty, const DenseOptimum& best, const Matrix& u,
                             double eta) {
  const auto count = static_cast<double>(u.size());  // N n
  const Matrix u_star = penalty.scaled(best.images);
  // The multiplier of F: its gradient differs from that of f by D^T A^T (A D w - D b).
  const Matrix mu = best.multiplier + penalty.dense.a.front().transpose() * penalty.ad(u_star);
  const double c_k = 2.5 * std::sqrt(count) * (u - u_star).norm() +
                     std::sqrt(count) * penalty.f_gradient(u_star).norm() * eta + count * eta * eta;
  EXPECT_LE(penalty.q(u, eta) - penalty.f(u_star), eta * c_k);                 // (opt-bound:1)
  EXPECT_LE(penalty.d(u).norm(), 2 * eta * (2 * mu.norm() + std::sqrt(c_k)));  // (eq:2)
  EXPECT_LE(penalty.f(u_star) - penalty.q(u, eta), mu.norm() * penalty.d(u).norm() + 1e-6);
  const Matrix g = penalty.q_gradient(u, eta);  // grad F + D^T mu^k, mu^k = D u / (2 eta)
  double square = 0;
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    if (u(k) > 0 || g(k) < 0) square += g(k) * g(k);
  }
  EXPECT_LE(std::sqrt(square), 2.5 * eta * (1 + 1e-3));  // (KKT:approx)
}

TEST(FirmLoops, FollowAlgorithm1ToNearlyOptimalImages) {
  for (const double coefficient_sum : {0.9, 30.0}) {
    // Pixels of 3 mm: eta is about 0.3, and eta^2 far above the rounding of single precision.
    const SmallStudy small = make_small_study(
        {.seed = 8, .sites = 3, .coefficient_sum = coefficient_sum, .pixel_size = 0.3});
    const Penalty penalty(small);
    const DenseOptimum best = joint_optimum(penalty.dense);
    constexpr double kRatio = 0.7;
    constexpr double kEps = 0.02;
    double eta = descent_bound(small.study, penalty.lambda);
    Driver<Firm> firm(small, eta, {.hold = 0, .ratio = kRatio, .eps = kEps});
    int inner_rounds = 0;
    int outer_rounds = 0;
    while (firm.begin()) {
      ASSERT_NEAR(firm.method.step_size(), eta, 1e-4 * eta);
      const Matrix x = penalty.scaled(firm.images());
      firm.method.update();
      const Matrix next = penalty.scaled(firm.images());
      ++inner_rounds;
      if ((next - x).norm() > eta * eta) continue;
      SCOPED_TRACE(eta);
      expect_eta_optimal(penalty, x, eta);
      expect_eta_optimal(penalty, next, eta);
      expect_close_to_optimum(penalty, best, next, eta);
      eta *= kRatio;
      ++outer_rounds;
    }
    EXPECT_LT(eta, kEps);
    EXPECT_GE(outer_rounds, 5);
    EXPECT_GT(inner_rounds, 5 * outer_rounds);
    EXPECT_GT(firm.repeats, 0) << "the end of a long inner loop comes unexpected";
  }
}

TEST(DescentBound, MatchesPaperForScaledCoefficients) {
  Study study = make_small_study({}).study;
  study.sites[0].coefficient = 0.6;
  study.sites[1].coefficient = study.sites[2].coefficient = 0.1;
  EXPECT_NEAR(descent_bound(study, 10), (2 - 0.38) / 40, 1e-12);
  for (Site& site : study.sites) site.coefficient *= 100;  // 60, 10, 10: scaled by their sum
  EXPECT_NEAR(descent_bound(study, 10), (2 - 0.38 / 0.64) / 40, 1e-12);
}

TEST(StudyWeight, FollowsSigmaWhereSitesDiffer) {
  Study study = make_small_study({.sites = 3, .coefficient_sum = 50}).study;
  study.sites[0].sigma = 0.5;
  EXPECT_EQ(study.weight(0), 4);
  EXPECT_EQ(study.weight(1), 1);
  EXPECT_EQ(study.weight(2), 1);
}

TEST(StudyWeight, CompensatesDensityUnitWithoutSigma) {
  Study study = make_small_study({.sites = 3}).study;
  study.sites[0].coefficient = 60;
  study.sites[1].coefficient = 40;
  for (const double sigma : {1.0, 20.0}) {
    for (Site& site : study.sites) site.sigma = sigma;
    EXPECT_EQ(study.weight(0), 1e4);
    EXPECT_EQ(study.weight(1), 1e4);
    EXPECT_EQ(study.weight(2), 1);
  }
  for (Site& site : study.sites) site.coefficient /= 200;  // the sum is below 1
  EXPECT_EQ(study.weight(0), 1);
}

}  // namespace
}  // namespace firm
