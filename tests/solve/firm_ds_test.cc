// firm-ds keeps the promises of its header; the local solver (Nnls) is tested by itself.
#include "solve/methods/firm_ds.h"

#include <gtest/gtest.h>

#include <map>

#include "solve/dense_optimum.h"
#include "support/small_study.h"

namespace firm {
namespace {

SolveOptions ds_options(int rounds, int local_steps = 0) {
  SolveOptions options;
  options.method = "firm-ds";
  options.stop.rounds = rounds;
  options.stop.kkt = 1e-30;  // never
  options.ds.local_steps = local_steps;
  return options;
}

// Studies with one matrix and with several, with and without `other`, sigma and slices.
std::vector<SmallStudy> some_studies() {
  std::vector<SmallStudy> all;
  for (std::uint64_t k = 0; k < 8; ++k) {
    SmallStudyOptions o{.seed = 60 + k, .sites = 2 + k % 4, .rows = 5, .slices = 1 + k % 2};
    o.angles = 5;
    o.own_geometry = k % 2 == 1;
    o.other = k / 2 % 2 == 1;
    o.own_sigma = k / 4 % 2 == 1;
    o.coefficient_sum = k == 7 ? 150 : 0.9;
    all.push_back(make_small_study(o));
  }
  return all;
}

TEST(FirmDs, NeverRaisesObjective) {
  for (const SmallStudy& small : some_studies()) {
    for (const int local_steps : {1, 3, 20}) {
      std::vector<double> f;
      Observer observer;
      observer.on_round = [&](const RoundRecord& r, int) { f.push_back(r.objective); };
      solve_small(small, ds_options(40, local_steps), observer);
      ASSERT_EQ(f.size(), 41u);
      for (std::size_t k = 1; k < f.size(); ++k) {
        EXPECT_LE(f[k], f[k - 1] * (1 + 1e-5)) << small.study.name << " round " << k;
      }
      EXPECT_LT(f.back(), 0.9 * f.front());
    }
  }
}

// w_N is the sum itself, rounded once.
TEST(FirmDs, KeepsCouplingExactly) {
  for (const SmallStudy& small : some_studies()) {
    const DenseStudy dense(small.study, small.data);
    const Solution found = solve_small(small, ds_options(3, 10));
    const Matrix w = to_matrix(found.images);
    Matrix sum = Matrix::Zero(dense.pixels(), dense.slices());
    for (std::size_t v = 0; v < dense.c.size(); ++v) sum += dense.c[v] * dense.image(w, v);
    const Matrix rounded = sum.cast<float>().cast<double>();
    EXPECT_EQ((rounded - dense.image(w, dense.c.size())).norm(), 0) << small.study.name;
    EXPECT_GE(w.minCoeff(), 0);
  }
}

// If XRF data hardly counts, the first round distributes exactly the data of XRT over the sites.
TEST(FirmDs, DistributesXrtResidual) {
  for (const bool other : {false, true}) {
    SmallStudy small = make_small_study({.seed = 70, .other = other, .noise = 0});
    for (Site& site : small.study.sites) site.sigma = site.kind == SiteKind::kXrt ? 1 : 1000;
    const double before = to_matrix(small.data.back().values).norm();
    const Summary s = solve_small(small, ds_options(1, 300)).summary;
    EXPECT_LT(s.sites.back().residual, 0.02 * before) << other;
  }
}

// Enough rays for a unique optimum, so that images can be compared.
TEST(FirmDs, MatchesFedPgdAndDenseOptimumWithOneGeometryPerSite) {
  const SmallStudyOptions o{
      .seed = 71, .sites = 3, .rows = 5, .columns = 5, .angles = 9, .own_geometry = true};
  const SmallStudy small = make_small_study(o);
  const DenseStudy dense(small.study, small.data);
  const Matrix best = joint_optimum(dense).images;
  SolveOptions options;
  options.stop.kkt = 1e-6;
  for (const std::string method : {"firm-ds", "fedpgd"}) {
    options.method = method;
    options.fedpgd.accelerated = true;
    const Solution found = solve_small(small, options);
    EXPECT_EQ(found.summary.termination.reason, "kkt") << method;
    EXPECT_LT((to_matrix(found.images) - best).norm(), 1e-3 * best.norm()) << method;
  }
}

// A vector of zero shifts changes no ray, but is not recognised as the geometry of the others: the
// sites' own data then has a separate term and separate projectors.
TEST(FirmDs, GivesSameImagesWithOneTermAndWithTwo) {
  for (const bool other : {false, true}) {
    const SmallStudy common = make_small_study(
        {.seed = 72, .rows = 5, .angles = 7, .slices = 2, .other = other, .own_sigma = true});
    for (const std::size_t site : {0u, 3u}) {
      SmallStudy apart = common;
      Geometry& geometry = apart.study.sites[site].geometry;
      geometry.shifts.assign(geometry.angles.size(), 0.0);
      ASSERT_TRUE(common.study.common_geometry());
      ASSERT_FALSE(apart.study.common_geometry());
      for (const int rounds : {1, 4}) {
        const Solution fused = solve_small(common, ds_options(rounds, 10));
        const Solution unfused = solve_small(apart, ds_options(rounds, 10));
        const Matrix w = to_matrix(fused.images);
        EXPECT_LT((to_matrix(unfused.images) - w).norm(), 1e-5 * w.norm()) << site << rounds;
        EXPECT_NEAR(unfused.summary.objective / fused.summary.objective, 1, 1e-5);
      }
    }
  }
}

// Here rounding alone makes a step look as if it raised the objective, long before 1e-5.
TEST(FirmDs, RunsUntilConverged) {
  SmallStudy small =
      make_small_study({.seed = 13, .sites = 3, .angles = 1, .coefficient_sum = 1.1});
  for (const int local_steps : {1, 10, 75}) {
    SolveOptions options = ds_options(200, local_steps);
    options.stop.kkt = 1e-5;
    EXPECT_EQ(solve_small(small, options).summary.termination.reason, "kkt") << local_steps;
  }
}

TEST(FirmDs, ChoosesLocalStepsByDiscrepancyRule) {
  const SmallStudy small = make_small_study({.seed = 73, .sites = 2});
  const auto steps = [&](const SolveOptions& options) {
    const Summary s = solve_small(small, options).summary;
    EXPECT_EQ(s.rounds, 3);
    return s.local_iterations;
  };
  SolveOptions options = ds_options(3);
  EXPECT_EQ(steps(options), (1 + 3) * 75);  // the start, and the rounds
  options.stop.discrepancy = 1e-9;
  EXPECT_EQ(steps(options), (1 + 3) * 8);
  options.ds.local_steps = 5;
  EXPECT_EQ(steps(options), (1 + 3) * 5);
}

TEST(FirmDs, ReportsKktOfPreviousImages) {
  const SmallStudy small = make_small_study(
      {.seed = 74, .rows = 5, .angles = 5, .slices = 2, .other = true, .own_geometry = true});
  std::vector<double> kkt;
  Observer observer;
  observer.on_round = [&](const RoundRecord& r, int) { kkt.push_back(r.kkt); };
  solve_small(small, ds_options(4, 10), observer);
  for (int rounds = 1; rounds < 4; ++rounds) {
    const double relative = solve_small(small, ds_options(rounds, 10)).summary.certificate.relative;
    EXPECT_NEAR(kkt[static_cast<std::size_t>(rounds + 1)] / relative, 1, 1e-3) << rounds;
  }
}

// No sum shows a site's measurements to the others, not even before the first round.
class FirstSum : public Collective {
 public:
  void sum(std::span<float> vector, std::span<double> /*scalars*/) override {
    if (first.empty()) first.assign(vector.begin(), vector.end());
  }
  std::vector<float> first;
};

TEST(FirmDs, HidesXrtDataInFirstSum) {
  const SmallStudy small = make_small_study({.seed = 75, .sites = 3});
  Problem problem(small.study, small.data, {1});
  FirstSum collective;
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = ds_options(1);
  solve(input);
  const Block& xrt = small.data.back().values;
  ASSERT_EQ(collective.first.size(), xrt.size());
  double shown = 0;
  double all = 0;
  for (std::size_t k = 0; k < xrt.size(); ++k) {
    const auto b = static_cast<double>(xrt.values()[k]);
    const double hidden = static_cast<double>(collective.first[k]) + b;  // of the XRF sites
    shown += hidden * hidden;
    all += b * b;
  }
  EXPECT_GT(shown, 0.2 * all);
}

// Records the sums, and the sites they were for.
class Openers : public Collective {
 public:
  explicit Openers(std::size_t image_size) : image_size_(image_size) {}
  void sum(std::span<float> vector, std::span<double> /*scalars*/) override {
    if (vector.size() == image_size_) ++images_for_all;
  }
  void sum_for(const std::string& site, std::span<float> vector) override {
    sums_for[site].assign(vector.begin(), vector.end());
  }
  int images_for_all = 0;
  std::map<std::string, std::vector<float>> sums_for;

 private:
  std::size_t image_size_;
};

TEST(FirmDs, SendsXrtImageToXrtOnly) {
  const SmallStudy small = make_small_study({.seed = 76, .sites = 3, .angles = 7, .slices = 2});
  Problem problem(small.study, small.data, {1});
  const std::size_t size = problem.pixels() * problem.slices();
  ASSERT_NE(size, small.data.back().values.size());  // images are known by their size
  Openers collective(size);
  SolveInput input;
  input.problem = &problem;
  input.collective = &collective;
  input.options = ds_options(2);
  const Solution found = solve(input);
  EXPECT_EQ(collective.images_for_all, 0);
  ASSERT_EQ(collective.sums_for.size(), 1u);
  const std::vector<float>& sum = collective.sums_for[small.study.xrt().name];
  ASSERT_EQ(sum.size(), size);
  const std::size_t xrt = problem.transmission() * problem.slices();
  for (std::size_t k = 0; k < size; ++k) {
    EXPECT_EQ(sum[k], found.images(k / problem.slices(), xrt + k % problem.slices()));
  }
}

// --- Nnls

// Two terms over two columns, the second column without the second term.
struct TwoTerms {
  explicit TwoTerms(bool momentum)
      : small(make_small_study({.seed = 81, .sites = 3, .rows = 5, .own_geometry = true})),
        dense(small.study, small.data),
        first({&geometry(0), &geometry(0)}, 1, 1),
        second({&geometry(1), &geometry(1)}, 1, 1),
        nnls(small.study.pixels(), 2, momentum, 1) {
    nnls.add_term(first, {alpha[0][0], alpha[0][1]});
    nnls.add_term(second, {alpha[1][0], alpha[1][1]});
    for (std::size_t term = 0; term < 2; ++term) {
      Block& target = nnls.target(term).front();
      for (std::size_t ray = 0; ray < target.rows(); ++ray) {
        for (std::size_t c = 0; c < 2; ++c) {
          const auto b = static_cast<double>(small.data[term].values(ray, 0));
          target(ray, c) = static_cast<float>(alpha[term][c] * b);
        }
      }
    }
    for (std::size_t c = 0; c < 2; ++c) nnls.set_step(c, (momentum ? 0.5 : 0.75) / curvature(c));
  }

  const Geometry& geometry(std::size_t site) const { return small.study.sites[site].geometry; }
  double curvature(std::size_t column) {
    return alpha[0][column] * first.lambda_max()[0] + alpha[1][column] * second.lambda_max()[0];
  }
  // sqrt(alpha) A of both terms, and the target.
  Matrix matrix(std::size_t column) const {
    Matrix m(dense.a[0].rows() + dense.a[1].rows(), dense.pixels());
    m << std::sqrt(alpha[0][column]) * dense.a[0], std::sqrt(alpha[1][column]) * dense.a[1];
    return m;
  }
  Vector target(std::size_t column) const {
    Vector t(dense.b[0].rows() + dense.b[1].rows());
    t << std::sqrt(alpha[0][column]) * dense.b[0], std::sqrt(alpha[1][column]) * dense.b[1];
    return t;
  }
  Vector image(std::size_t column) const {
    return to_matrix(nnls.images()).col(eigen_index(column));
  }
  double value(std::size_t column) const {
    return (matrix(column) * image(column) - target(column)).squaredNorm();
  }

  double alpha[2][2] = {{0.7, 2}, {3, 0}};
  SmallStudy small;
  DenseStudy dense;
  Operators first;
  Operators second;
  Nnls nnls;
};

TEST(Nnls, ReachesOptimumOfEveryColumn) {
  for (const bool momentum : {false, true}) {
    TwoTerms terms(momentum);
    for (int k = 0; k < (momentum ? 300 : 3000); ++k) terms.nnls.step();
    terms.nnls.finish_steps();
    for (std::size_t c = 0; c < 2; ++c) {
      const Matrix m = terms.matrix(c);
      const Vector t = terms.target(c);
      const double best = (m * solve_nnls(m, t) - t).squaredNorm();
      EXPECT_NEAR(terms.value(c), best, 1e-6 * t.squaredNorm()) << momentum << c;
      EXPECT_GE(terms.image(c).minCoeff(), 0);
    }
  }
}

TEST(Nnls, NeverRaisesObjective) {
  for (const bool momentum : {false, true}) {
    TwoTerms terms(momentum);
    double before[2] = {terms.value(0), terms.value(1)};
    for (int k = 0; k < 150; ++k) {
      for (int m = 0; m < 1 + k % 3; ++m) terms.nnls.step();
      terms.nnls.finish_steps();
      for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_LE(terms.value(c), before[c] * (1 + 1e-5)) << momentum << " " << k << " " << c;
        before[c] = terms.value(c);
      }
    }
  }
}

TEST(Nnls, IsFasterWithMomentum) {
  TwoTerms plain(false);
  TwoTerms fast(true);
  for (int k = 0; k < 60; ++k) plain.nnls.step();
  for (int k = 0; k < 60; ++k) fast.nnls.step();
  fast.nnls.finish_steps();
  for (std::size_t c = 0; c < 2; ++c) EXPECT_LT(fast.value(c), plain.value(c));
}

TEST(Nnls, StartsWithProjectedGradientStep) {
  TwoTerms terms(true);
  terms.nnls.step();
  double squares = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const Vector g = -2 * terms.matrix(c).transpose() * terms.target(c);
    const Vector expected = (-0.5 / terms.curvature(c) * g).cwiseMax(0);
    EXPECT_LT((terms.image(c) - expected).norm(), 1e-5 * expected.norm());
    squares += expected.squaredNorm();
  }
  EXPECT_NEAR(terms.nnls.step_squared() / squares, 1, 1e-5);
}

TEST(Nnls, MeasuresProjectedGradient) {
  TwoTerms terms(true);
  for (int k = 0; k < 5; ++k) terms.nnls.step();
  double squares = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const Vector w = terms.image(c);
    const Vector g = 2 * terms.matrix(c).transpose() * (terms.matrix(c) * w - terms.target(c));
    for (Eigen::Index p = 0; p < w.size(); ++p) {
      if (w[p] > 0 || g[p] < 0) squares += g[p] * g[p];
    }
  }
  EXPECT_NEAR(terms.nnls.projected_gradient_squared() / squares, 1, 1e-4);
}

TEST(Nnls, KeepsHeldColumn) {
  TwoTerms held(true);
  TwoTerms free(true);
  for (int k = 0; k < 20; ++k) {
    if (k == 5) held.nnls.hold(1);
    held.nnls.step();
    free.nnls.step();
    if (k == 4) {
      held.nnls.finish_steps();
      free.nnls.finish_steps();
    }
  }
  TwoTerms five(true);
  for (int k = 0; k < 5; ++k) five.nnls.step();
  five.nnls.finish_steps();
  held.nnls.finish_steps();
  free.nnls.finish_steps();
  EXPECT_EQ((held.image(1) - five.image(1)).norm(), 0);
  EXPECT_EQ((held.image(0) - free.image(0)).norm(), 0);
}

}  // namespace
}  // namespace firm
