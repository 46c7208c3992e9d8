// Weights of values: masks (0), and noise of each value.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "firm/error.h"
#include "solve/barrier_collective.h"
#include "solve/dense_optimum.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// Gives every site weights; about a quarter are 0, the others are 0.3 to 1.
SmallStudy weighted_study(const SmallStudyOptions& options) {
  SmallStudy small = make_small_study(options);
  Random random(options.seed, 7);
  for (SiteData& d : small.data) {
    d.weights = Block(d.values.rows(), d.values.columns());
    for (float& weight : d.weights.values()) {
      const double value = random.uniform();
      weight = value < 0.25 ? 0.0f : static_cast<float>(0.3 + 0.7 * random.uniform());
    }
  }
  return small;
}

const SmallStudyOptions kStudies[] = {{.seed = 61, .sites = 3, .rows = 5, .angles = 6},
                                      {.seed = 62, .sites = 4, .rows = 4, .angles = 5, .slices = 2},
                                      {.seed = 63,
                                       .sites = 3,
                                       .rows = 5,
                                       .angles = 6,
                                       .other = true,
                                       .own_geometry = true,
                                       .own_sigma = true}};

SolveOptions converging(const std::string& method) {
  SolveOptions options;
  options.method = method;
  options.stop.kkt = 1e-4;  // small weights make firm-ds slow
  options.fedpgd.accelerated = options.pgd.accelerated = true;
  return options;
}

TEST(Weights, ReachWeightedOptimum) {
  for (const SmallStudyOptions& o : kStudies) {
    const SmallStudy small = weighted_study(o);
    const DenseStudy dense(small.study, small.data);
    const DenseOptimum best = joint_optimum(dense);
    ASSERT_LT(best.violation, 1e-11);
    for (const char* method : {"firm-ds", "fedpgd"}) {
      SCOPED_TRACE(std::string(method) + " on " + small.study.name);
      const Solution found = solve_small(small, converging(method));
      const Matrix w = to_matrix(found.images);
      const double f = dense.objective(w);
      EXPECT_TRUE(found.summary.termination.converged) << found.summary.termination.message;
      EXPECT_NEAR(f, best.objective, 1e-5 * dense.objective_at_zero());
      EXPECT_NEAR(found.summary.objective, f, 1e-6 * dense.objective_at_zero());
      EXPECT_LT(found.summary.certificate.relative, 2e-4);
    }
  }
}

TEST(Weights, ReachWeightedOptimumOfEachSiteAlone) {
  for (const SmallStudyOptions& o : kStudies) {
    const SmallStudy small = weighted_study(o);
    const DenseStudy dense(small.study, small.data);
    const DenseOptimum best = separate_optimum(dense);
    const Solution found = solve_small(small, converging("pgd"));
    EXPECT_NEAR(dense.objective(to_matrix(found.images)), best.objective,
                1e-5 * dense.objective_at_zero());
  }
}

// Enough rays for a unique solution, and images without zeros.
TEST(Weights, ReachWeightedLeastSquaresSolution) {
  const SmallStudy small = weighted_study(
      {.seed = 64, .rows = 4, .columns = 4, .angles = 14, .noise = 0.002, .smallest = 0.5});
  const DenseStudy dense(small.study, small.data);
  SolveOptions options;
  options.method = "plsqr";
  const Matrix w = to_matrix(solve_small(small, options).images);
  for (std::size_t i = 0; i < dense.sites(); ++i) {
    const Matrix m = dense.roots[i].col(0).asDiagonal() * dense.a[i];
    const Matrix best =
        m.colPivHouseholderQr().solve(dense.roots[i].col(0).cwiseProduct(dense.b[i].col(0)));
    ASSERT_GT(best.minCoeff(), 0);
    EXPECT_LT((dense.image(w, i) - best).norm(), 1e-3 * best.norm()) << i;
  }
}

TEST(Weights, ZeroLeavesValuesOut) {
  for (const char* method : {"firm-ds", "fedpgd", "pgd", "plsqr"}) {
    SmallStudy small = weighted_study(kStudies[1]);
    const Solution found = solve_small(small, converging(method));
    for (SiteData& d : small.data) {
      for (std::size_t k = 0; k < d.values.size(); ++k) {
        if (d.weights.values()[k] == 0) d.values.values()[k] = 1e6f;
      }
    }
    const Solution again = solve_small(small, converging(method));
    EXPECT_TRUE(std::ranges::equal(found.images.values(), again.images.values())) << method;
    EXPECT_EQ(found.summary.sites[0].discrepancy, again.summary.sites[0].discrepancy) << method;
  }
}

TEST(Weights, OneChangesNothing) {
  SmallStudy small = make_small_study(kStudies[1]);
  const Matrix plain = to_matrix(solve_small(small, converging("firm-ds")).images);
  for (SiteData& d : small.data) {
    d.weights = Block(d.values.rows(), d.values.columns());
    std::ranges::fill(d.weights.values(), 1.0f);
  }
  const Matrix weighted = to_matrix(solve_small(small, converging("firm-ds")).images);
  EXPECT_LT((plain - weighted).norm(), 1e-3 * plain.norm());
}

// Runs each site in its own process; only one of them knows the weights of XRT.
TEST(Weights, NeededOnlyByTheirSite) {
  const SmallStudy small = weighted_study(kStudies[2]);
  const Matrix together = to_matrix(solve_small(small, converging("firm-ds")).images);
  Rendezvous rendezvous(small.data.size());
  std::vector<Matrix> images(small.data.size());
  std::vector<std::thread> sites;
  for (std::size_t i = 0; i < small.data.size(); ++i) {
    sites.emplace_back([&, i] {
      Problem problem(small.study, {small.data[i]}, {1});
      BarrierCollective collective(rendezvous, i);
      SolveInput input;
      input.problem = &problem;
      input.collective = &collective;
      input.options = converging("firm-ds");
      images[i] = to_matrix(solve(input).images);
    });
  }
  for (std::thread& site : sites) site.join();
  Matrix apart(together.rows(), together.cols());
  apart << images[0], images[1], images[2];
  EXPECT_LT((apart - together).norm(), 1e-2 * together.norm());
}

TEST(Weights, AreRejectedByMethodsThatNeedOneMatrix) {
  for (const char* method : {"firm", "firm+"}) {
    try {
      solve_small(weighted_study(kStudies[0]), with_method(method));
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::kUsage);
      EXPECT_CONTAINS(std::string(e.what()), "values of xrf-1 that are masked or have weights");
    }
  }
}

void expect_refused(const SmallStudy& small, const std::string& expected) {
  try {
    Problem problem(small.study, small.data);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::kData);
    EXPECT_CONTAINS(std::string(e.what()), expected);
  }
}

TEST(Weights, RejectedWhenInvalid) {
  const SmallStudy good = weighted_study(kStudies[1]);
  SmallStudy bad = good;
  bad.data[0].weights(3, 1) = 1.5f;
  expect_refused(bad, "site xrf-1: weights: expected numbers from 0 to 1, found 1.5");
  bad.data[0].weights(3, 1) = std::numeric_limits<float>::quiet_NaN();
  expect_refused(bad, "found nan");
  bad = good;
  bad.data[1].weights = Block(2, 2);
  expect_refused(bad, "site xrf-2: weights: expected one for each value");
  bad = good;
  for (std::size_t ray = 0; ray < bad.data[3].weights.rows(); ++ray) {
    bad.data[3].weights(ray, 1) = 0;
  }
  expect_refused(bad, "site xrt: weights: expected a value of slice 1 that counts, found none");
}

}  // namespace
}  // namespace firm
