// Compares the projection by a general solver with the exact one.
#include "paper/items/general_projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "firm/error.h"
#include "sim/noise.h"
#include "solve/methods/projection.h"

namespace firm::paper {
namespace {

constexpr std::size_t kBatch = PixelProjection::kBatch;

class GeneralSolver : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_general_projection()) {
      GTEST_SKIP() << "built without Ipopt: install coinor-libipopt-dev and build again";
    }
  }
};

std::vector<double> random_coefficients(std::size_t count, Random& random) {
  std::vector<double> c(count);
  for (double& c_i : c) c_i = 0.1 + random.uniform();
  return c;
}

// Values of either sign, all negative, or mostly zero.
Block random_values(std::size_t pixels, std::size_t sites, Random& random) {
  Block v(pixels, sites);
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t i = 0; i < sites; ++i) {
      double value = random.normal();
      if (p % 3 == 1) value = -std::abs(value);
      if (p % 3 == 2 && random.uniform() < 0.7) value = 0;
      v(p, i) = static_cast<float>(value);
    }
  }
  return v;
}

// The number of pixels must be a multiple of kBatch.
Block exact_projection(const std::vector<double>& c, const Block& v) {
  Block w(v.rows(), v.columns());
  PixelProjection projection(c);
  std::vector<double> values(v.columns() * kBatch);
  for (std::size_t first = 0; first < v.rows(); first += kBatch) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<double>(v(first + k % kBatch, k / kBatch));
    }
    projection.project(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      w(first + k % kBatch, k / kBatch) = static_cast<float>(values[k]);
    }
  }
  return w;
}

// Distance of w_i and its multiplier z_i from being both zero: min_i max(w_i, z_i), where in a
// pixel w = v + l (c, -1) + z, z >= 0. At w = 0 every l from v_N to min_i -v_i / c_i is valid.
double margin(const std::vector<double>& c, const std::vector<double>& v,
              std::span<const float> w) {
  double l = PixelProjection(c).root_by_sorting(v);
  if (std::all_of(w.begin(), w.end(), [](float w_i) { return w_i == 0; })) {
    double end = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < c.size(); ++i) end = std::min(end, -v[i] / c[i]);
    l = (v.back() + end) / 2;
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto w_i = static_cast<double>(w[i]);
    const double z_i = w_i - v[i] - l * (i < c.size() ? c[i] : -1);
    least = std::min(least, std::max(w_i, z_i));
  }
  return least;
}

// With z_i w_i <= tolerance in the solver's point w, z, and w*, z* the exact one,
//
//     ||w - w*||^2 + <z*, w> + <z, w*> <= N tolerance
//
// in every pixel. So the error of w is at most the root of that, and a multiple of the tolerance
// where every w*_i or z*_i is well above zero.
void expect_projection(std::size_t sites, double tolerance, Random& random) {
  constexpr std::size_t kPixels = 16 * kBatch;
  const std::vector<double> c = random_coefficients(sites - 1, random);
  const Block v = random_values(kPixels, sites, random);
  const Block exact = exact_projection(c, v);
  Block w = v;
  const GeneralProjection result = project_generally(c, w, tolerance);
  EXPECT_GT(result.seconds, 0);
  EXPECT_GT(result.iterations, 3);

  const double gap = static_cast<double>(sites) * tolerance;
  std::size_t clear = 0;
  for (std::size_t p = 0; p < kPixels; ++p) {
    const std::span<const float> values = v.values().subspan(p * sites, sites);
    const std::vector<double> pixel(values.begin(), values.end());
    const double distance = margin(c, pixel, exact.values().subspan(p * sites, sites));
    ASSERT_GE(distance, -1e-6);
    if (distance > 0.1) ++clear;
    const double rounding = 1e-6;  // of float, and of the bounds, which Ipopt relaxes by 1e-8
    const double bound = std::min(std::sqrt(gap), 4 * gap / std::max(distance, 1e-9)) + rounding;
    for (std::size_t i = 0; i < sites; ++i) {
      ASSERT_GE(w(p, i), 0);
      ASSERT_NEAR(static_cast<double>(w(p, i)), static_cast<double>(exact(p, i)), bound)
          << "site " << i << " of pixel " << p << ", margin " << distance;
    }
  }
  EXPECT_GT(clear, kPixels / 4);
}

TEST_F(GeneralSolver, AgreesWithExactProjection) {
  Random random(1, 0);
  for (const double tolerance : {1e-6, 1e-8}) {
    for (std::size_t sites = 2; sites <= 5; ++sites) {
      SCOPED_TRACE(testing::Message() << sites << " sites, tolerance " << tolerance);
      expect_projection(sites, tolerance, random);
    }
  }
}

TEST_F(GeneralSolver, HasANameAndPrintsNothing) {
  EXPECT_EQ(general_projection_solver().rfind("Ipopt ", 0), 0U) << general_projection_solver();
  Block v(1, 2);
  v(0, 0) = 3;
  v(0, 1) = -1;
  testing::internal::CaptureStdout();
  project_generally(std::vector<double>{2}, v, 1e-8);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_NEAR(v(0, 0), 0.2, 1e-6);
  EXPECT_NEAR(v(0, 1), 0.4, 1e-6);
}

TEST_F(GeneralSolver, ReportsHowItFailed) {
  Block v(2, 2);
  v(0, 0) = 1;
  v(1, 1) = std::numeric_limits<float>::quiet_NaN();
  try {
    project_generally(std::vector<double>{1}, v, 1e-6);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kData);
    EXPECT_NE(std::string(error.what()).find("invalid number"), std::string::npos) << error.what();
  }
  EXPECT_EQ(v(0, 0), 1) << "changed by a solver that failed";
  EXPECT_EQ(v(0, 1), 0);
}

TEST_F(GeneralSolver, AcceptsNoWeakerTolerance) {
  Block v(64, 2);
  std::fill(v.values().begin(), v.values().end(), 1.0f);
  EXPECT_THROW(project_generally(std::vector<double>{0.3}, v, 1e-40), Error);
  EXPECT_THROW(project_generally(std::vector<double>{0.3}, v, 0), std::logic_error);
  EXPECT_THROW(project_generally(std::vector<double>{0.3, 0.3}, v, 1e-6), std::logic_error);
}

TEST(NoGeneralSolver, NamesPackageToInstall) {
  if (has_general_projection()) GTEST_SKIP() << "built with Ipopt";
  Block v(1, 2);
  try {
    project_generally(std::vector<double>{1}, v, 1e-6);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    EXPECT_NE(std::string(error.what()).find("coinor-libipopt-dev"), std::string::npos);
  }
}

}  // namespace
}  // namespace firm::paper
