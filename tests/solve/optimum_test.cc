// Every method against the optimum of small studies, computed another way (dense_optimum.h).
// Tolerances are relative to f(0), the objective of empty images.
#include <gtest/gtest.h>

#include "firm/error.h"
#include "model/certificate.h"
#include "solve/dense_optimum.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// --- the active set method itself

TEST(ActiveSet, SolvesProblemsWithKnownSolution) {
  const Vector clipped = solve_nnls(Matrix::Identity(3, 3), Vector{{1, -2, 3}});
  EXPECT_LT((clipped - Vector{{1, 0, 3}}).norm(), 1e-15);
  // Without the bound x would be (2, -1); with it x_2 = 0 moves x_1 to 1.
  const Matrix m{{1, 1}, {0, 1}};
  EXPECT_LT((solve_nnls(m, Vector{{1, -1}}) - Vector{{1, 0}}).norm(), 1e-15);
  EXPECT_LT(solve_nnls(m, Vector{{-1, -1}}).norm(), 1e-15);
}

TEST(ActiveSet, SolvesProblemsWithManySolutions) {
  const Matrix m{{1, 1, 2}};
  const Vector x = solve_nnls(m, Vector{{4}});
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_NEAR((m * x)[0], 4, 1e-14);
}

TEST(ActiveSet, MeetsOptimalityConditionsOfRandomProblems) {
  Random random(3, 0);
  for (const auto& [rows, columns] : {std::pair(30, 20), std::pair(12, 40), std::pair(60, 60)}) {
    const Matrix m = Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
    const Vector t = Vector::NullaryExpr(rows, [&] { return random.normal(); });
    const Vector x = solve_nnls(m, t);
    EXPECT_LT(nnls_violation(m, t, x), 1e-12) << rows;
    EXPECT_GT(nnls_violation(m, t, x + Vector::Constant(columns, 0.01)), 1e-4) << rows;
  }
}

// --- methods

struct Named {
  std::string name;
  SolveOptions options;
  double tolerance;         // of (f - f*) / f(0)
  double violation = 1e-6;  // of ||D w|| / ||w||
};

Named exact(const std::string& method, bool accelerated = false) {
  Named named{method + (accelerated ? " accelerated" : ""), {}, 1e-6};
  named.options.method = method;
  named.options.fedpgd.accelerated = named.options.pgd.accelerated = accelerated;
  named.options.stop.kkt = 1e-5;
  return named;
}

// Shrinks eta to 1e-3 of its first value, where the penalty leaves ||D w|| of about 2 eta ||mu||.
Named penalised(const std::string& method) {
  Named named{method, {}, 5e-5, 1e-4};
  named.options.method = method;
  named.options.firm.rule = "relative";
  named.options.firm.hold = 3000;
  named.options.firm.eps = 1e-3;
  return named;
}

const std::vector<Named>& general_methods() {
  static const std::vector<Named> all = {exact("fedpgd"), exact("fedpgd", true), exact("firm-ds")};
  return all;
}

const std::vector<Named>& joint_methods() {
  static const std::vector<Named> all = [] {
    std::vector<Named> some = general_methods();
    some.push_back(penalised("firm"));
    some.push_back(penalised("firm+"));
    return some;
  }();
  return all;
}

void expect_same_objective(const DenseStudy& dense, const Matrix& w, double best,
                           double tolerance) {
  const double difference = (dense.objective(w) - best) / dense.objective_at_zero();
  EXPECT_LT(std::abs(difference), tolerance);
}

void expect_joint_optimum(const SmallStudy& small, const std::vector<Named>& methods) {
  const DenseStudy dense(small.study, small.data);
  const DenseOptimum best = joint_optimum(dense);
  ASSERT_LT(best.violation, 1e-11);
  for (const Named& method : methods) {
    SCOPED_TRACE(method.name + " on " + small.study.name);
    const Solution found = solve_small(small, method.options);
    const Matrix w = to_matrix(found.images);
    EXPECT_TRUE(found.summary.termination.converged) << found.summary.termination.message;
    expect_same_objective(dense, w, best.objective, method.tolerance);
    EXPECT_GE(w.minCoeff(), 0);
    EXPECT_LT(dense.violation(w).norm(), method.violation * w.norm());
    EXPECT_NEAR(found.summary.objective, dense.objective(w), 1e-6 * dense.objective_at_zero());
  }
}

void expect_joint_optimum(const SmallStudyOptions& options, const std::vector<Named>& methods) {
  expect_joint_optimum(make_small_study(options), methods);
}

TEST(Optimum, ReachedByEveryJointMethodForTwoToSixSites) {
  for (std::size_t sites = 2; sites <= 6; ++sites) {
    SmallStudyOptions o;
    o.seed = sites;
    o.sites = sites;
    o.rows = 5;
    expect_joint_optimum(o, joint_methods());
  }
}

TEST(Optimum, ReachedWithoutNoise) {
  expect_joint_optimum({.seed = 11, .sites = 3, .angles = 7, .noise = 0}, joint_methods());
}

TEST(Optimum, ReachedInEverySlice) {
  expect_joint_optimum({.seed = 12, .rows = 4, .slices = 3}, joint_methods());
}

TEST(Optimum, ReachedFromOneAngle) {
  expect_joint_optimum({.seed = 13, .sites = 3, .angles = 1}, joint_methods());
}

TEST(Optimum, ReachedWithEmptyXrfData) {
  expect_joint_optimum({.seed = 14, .sites = 3, .zero_site = 0}, joint_methods());
}

// XRT then contradicts all the others, so the multiplier is large, and so is D w under the penalty
// of FIRM.
TEST(Optimum, ReachedWithEmptyXrtData) {
  std::vector<Named> methods = joint_methods();
  for (Named& method : methods) {
    if (method.name == "firm") method.tolerance = method.violation = 5e-4;
  }
  expect_joint_optimum({.seed = 14, .sites = 3, .zero_site = 2}, methods);
}

TEST(Optimum, ReachedWithCoefficientOfOne) {
  expect_joint_optimum({.seed = 15, .sites = 2, .coefficient_sum = 1}, joint_methods());
}

TEST(Optimum, ReachedWithLargeCoefficients) {
  for (const std::size_t sites : {2u, 4u}) {
    SmallStudyOptions o{.seed = 40 + sites, .sites = sites, .rows = 5, .coefficient_sum = 150};
    expect_joint_optimum(o, joint_methods());
    o.own_sigma = true;
    expect_joint_optimum(o, general_methods());
  }
}

TEST(Optimum, ReachedWithCommonSigmaOtherThanOne) {
  for (const double sigma : {0.05, 20.0}) {
    SmallStudy small = make_small_study({.seed = 16, .sites = 3, .rows = 5});
    for (Site& site : small.study.sites) site.sigma = sigma;
    std::vector<Named> methods = joint_methods();
    // Without any rule, methods would stop at the noise.
    for (Named& method : methods) method.options.stop.step = 1e-30;
    expect_joint_optimum(small, methods);
  }
}

TEST(Optimum, ReachedWithDifferentGeometriesSigmasAndOther) {
  for (std::size_t sites = 2; sites <= 5; ++sites) {
    SmallStudyOptions o{.seed = 20 + sites, .sites = sites, .rows = 5, .slices = sites % 2 + 1};
    o.own_geometry = sites != 3;
    o.own_sigma = sites != 4;
    o.other = sites != 5;
    expect_joint_optimum(o, general_methods());
  }
}

TEST(Optimum, ReachedForXrtAlone) {
  SmallStudy small = make_small_study({.seed = 17, .sites = 2, .rows = 5, .other = true});
  small.study.sites.erase(small.study.sites.begin());
  small.data.erase(small.data.begin());
  small.data[0].site = 0;
  expect_joint_optimum(small, general_methods());
}

// --- sites alone

TEST(Optimum, ReachedForEachSiteAloneByPgd) {
  for (const bool own_geometry : {false, true}) {
    const SmallStudyOptions o{
        .seed = 31, .slices = 2, .other = true, .own_geometry = own_geometry, .own_sigma = true};
    const SmallStudy small = make_small_study(o);
    const DenseStudy dense(small.study, small.data);
    const DenseOptimum best = separate_optimum(dense);
    ASSERT_LT(best.violation, 1e-11);
    for (const Named& method : {exact("pgd"), exact("pgd", true)}) {
      SCOPED_TRACE(method.name);
      const Solution found = solve_small(small, method.options);
      EXPECT_EQ(found.summary.termination.reason, "kkt");
      const Matrix w = to_matrix(found.images);
      expect_same_objective(dense, w, best.objective, method.tolerance);
      EXPECT_EQ(dense.image(w, 3).norm(), 0) << "`other` is nobody's";
    }
  }
}

// Enough rays for a unique solution, and images without zeros, so that LSQR has nothing to clip.
TEST(Optimum, ReachedForLeastSquaresByPlsqr) {
  const SmallStudyOptions o{.seed = 32,
                            .rows = 5,
                            .columns = 4,
                            .angles = 9,
                            .slices = 2,
                            .own_geometry = true,
                            .noise = 0.002,
                            .smallest = 0.5};
  const SmallStudy small = make_small_study(o);
  const DenseStudy dense(small.study, small.data);
  SolveOptions options;
  options.method = "plsqr";
  const Solution found = solve_small(small, options);
  EXPECT_EQ(found.summary.termination.reason, "tolerance");
  for (std::size_t i = 0; i < dense.sites(); ++i) {
    const Matrix best = dense.a[i].colPivHouseholderQr().solve(dense.b[i]);
    ASSERT_GT(best.minCoeff(), 0);
    const Matrix w = dense.image(to_matrix(found.images), i);
    EXPECT_LT((w - best).norm(), 1e-4 * best.norm()) << i;
  }
}

TEST(Plsqr, ClipsLeastSquaresSolution) {
  const SmallStudy small = make_small_study({.seed = 33, .rows = 5, .columns = 4, .angles = 9});
  const DenseStudy dense(small.study, small.data);
  SolveOptions options;
  options.method = "plsqr";
  const Matrix w = to_matrix(solve_small(small, options).images);
  for (std::size_t i = 0; i < dense.sites(); ++i) {
    const Matrix best = dense.a[i].colPivHouseholderQr().solve(dense.b[i]);
    ASSERT_LT(best.minCoeff(), -1e-3);
    EXPECT_LT((dense.image(w, i) - best.cwiseMax(0)).norm(), 1e-4 * best.norm()) << i;
  }
}

// --- the certificate

// Squared distance of -gradient to the normal cone of {w >= 0}.
double cone_distance_squared(const Matrix& w, const Matrix& gradient) {
  double sum = 0;
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    const double g = gradient(k);
    if (w(k) > 0 || g < 0) sum += g * g;
  }
  return sum;
}

Certificate certificate_of(const SmallStudy& small, const Matrix& w, CertificateOptions options) {
  Problem problem(small.study, small.data, {1});
  LocalCollective alone;
  Block mu;
  options.gradient_scale = data_gradient_norm(problem, alone);
  return certify(problem, alone, to_block(w), options, mu);
}

const SmallStudyOptions kGeneral{
    .seed = 50, .rows = 5, .slices = 2, .other = true, .own_geometry = true, .own_sigma = true};

TEST(Certificate, IsZeroAtOptimum) {
  const SmallStudy small = make_small_study(kGeneral);
  const DenseOptimum best = joint_optimum(DenseStudy(small.study, small.data));
  const Certificate found = certificate_of(small, best.images, {});
  EXPECT_LT(found.relative, 1e-5);
  EXPECT_LT(found.primal, 1e-6 * best.images.norm());
  EXPECT_EQ(found.min_w, 0);
  EXPECT_NEAR(found.objective, best.objective, 1e-5 * best.objective);
  EXPECT_NEAR(found.multiplier, best.multiplier.norm(), 1e-5 * best.multiplier.norm());
}

TEST(Certificate, MatchesDefinitionAtAnyPoint) {
  const SmallStudy small = make_small_study(kGeneral);
  const DenseStudy dense(small.study, small.data);
  const std::size_t xrt = dense.sites() - 1;
  Random random(51, 0);
  Matrix w = to_matrix(small.truth);  // half of it is zero
  w.array() *= Matrix::NullaryExpr(w.rows(), w.cols(), [&] { return random.uniform(); }).array();

  const Matrix g_n = dense.gradient(w, xrt);
  double joint = 0;
  double alone = cone_distance_squared(dense.image(w, xrt + 1), g_n);
  double scale = 0;
  for (std::size_t v = 0; v < dense.c.size(); ++v) {
    const bool measured = v < xrt;
    const Matrix g = measured ? dense.gradient(w, v) : Matrix::Zero(g_n.rows(), g_n.cols());
    joint += cone_distance_squared(dense.image(w, v), g + dense.c[v] * g_n);
    if (measured) alone += cone_distance_squared(dense.image(w, v), g);
  }
  for (std::size_t i = 0; i <= xrt; ++i) {
    scale += (dense.weight[i] * dense.a[i].transpose() * dense.b[i]).squaredNorm();
  }

  const Certificate found = certificate_of(small, w, {});
  EXPECT_NEAR(found.stationarity / std::sqrt(joint), 1, 1e-5);
  EXPECT_NEAR(found.relative / std::sqrt(joint / scale), 1, 1e-5);
  EXPECT_NEAR(found.primal / dense.violation(w).norm(), 1, 1e-5);
  EXPECT_NEAR(found.objective / dense.objective(w), 1, 1e-5);
  EXPECT_NEAR(found.multiplier / g_n.norm(), 1, 1e-5);
  EXPECT_EQ(certificate_of(small, w.array() - 0.5, {}).min_w, -0.5);
  const Certificate separate = certificate_of(small, w, {.joint = false});
  EXPECT_NEAR(separate.stationarity / std::sqrt(alone), 1, 1e-5);
  EXPECT_EQ(separate.multiplier, 0);
}

// --- studies that a method cannot solve

TEST(Optimum, RejectedByFirmWithoutCommonMatrix) {
  struct Case {
    SmallStudyOptions options;
    std::string found;
  };
  const std::vector<Case> cases = {
      {{.own_geometry = true}, "found sites with different geometry"},
      {{.own_sigma = true}, "found sites with different sigma"},
      {{.other = true}, "found other = true"},
  };
  for (const Case& c : cases) {
    const SmallStudy small = make_small_study(c.options);
    for (const std::string method : {"firm", "firm+"}) {
      SolveOptions options;
      options.method = method;
      const std::string error = error_of([&] { solve_small(small, options); });
      EXPECT_CONTAINS(error, "method " + method);
      EXPECT_CONTAINS(error, "one matrix A common to all sites, on which its proof rests");
      EXPECT_CONTAINS(error, c.found);
      EXPECT_CONTAINS(error, "firm-ds and fedpgd can do this");
    }
  }
}

}  // namespace
}  // namespace firm
