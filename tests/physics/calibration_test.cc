// Calibration of XRF counts by XRT.
#include "physics/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "physics/nonnegative_fit.h"
#include "run/common_rays.h"
#include "sim/noise.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"
#include "support/three_discs.h"

namespace firm {
namespace {

const std::vector<double> kFactors = {3e-4, 0.02, 1.7};
const std::vector<double> kCoefficients = {56, 105, 147};

// Three discs: XRF in counts, and XRT as the sum of their attenuations.
class CalibrationTest : public testing::Test {
 protected:
  void SetUp() override {
    data_.resize(4, Block(geometry_.rays(), 1));
    weights_.resize(4);
    for (std::size_t i = 0; i < 3; ++i) {
      truth_.push_back(sinogram_of(image_of(kThreeDiscs[i], geometry_, 2), geometry_));
      add_to(data_[i], truth_[i], 1 / kFactors[i]);
      add_to(data_[3], truth_[i], kCoefficients[i]);
    }
  }

  void add_noise(double level, std::uint64_t seed = 1) {
    for (std::size_t i = 0; i < 4; ++i) {
      Random random(seed, i);
      add_gaussian_noise(level, random, data_[i]);
    }
  }

  CalibrationInput input(std::size_t sites = 3) const {
    CalibrationInput input;
    input.beamlets = static_cast<std::size_t>(geometry_.beamlets);
    for (std::size_t i = 0; i < sites; ++i) {
      input.xrf.push_back(
          {"xrf-" + std::to_string(i + 1), kCoefficients[i], &data_[i], &weights_[i]});
    }
    input.xrt = {"xrt", 1, &data_[3], &weights_[3]};
    return input;
  }

  static bool warns(const Calibration& c, const std::string& part) {
    return std::ranges::any_of(c.warnings, [&](const std::string& warning) {
      return warning.find(part) != std::string::npos;
    });
  }

  const Geometry geometry_ = paper_geometry(64, 30);
  std::vector<Block> truth_;  // g/cm^2
  std::vector<Block> data_;
  std::vector<Block> weights_;
};

TEST_F(CalibrationTest, IsExactWithoutNoise) {
  const Calibration c = calibrate(input());
  ASSERT_EQ(c.factors.size(), 3u);
  double share = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(c.factors[i].factor / kFactors[i], 1, 1e-5) << i;
    EXPECT_LT(*c.factors[i].uncertainty, 1e-5 * kFactors[i]);
    EXPECT_LT(*c.factors[i].inflation, 10);
    EXPECT_GT(c.factors[i].share, 0.01);
    share += c.factors[i].share;
  }
  EXPECT_NEAR(share, 1, 1e-5);
  EXPECT_LT(c.residual, 1e-5);
  EXPECT_LT(c.unexplained, 1e-3);
  EXPECT_EQ(c.values, data_[3].size());
  EXPECT_TRUE(c.warnings.empty());
}

// Two elements of the phantom are nearly equal.
TEST_F(CalibrationTest, IsExactForThePhantom) {
  SimulateOptions options;
  options.preset = "elements";
  options.size = 64;
  options.angles = 30;
  const Simulation phantom = simulate(options);
  for (std::size_t i = 0; i < 4; ++i) {
    data_[i] = Block(geometry_.rays(), 1);
    add_to(data_[i], phantom.sites[i].data, i < 3 ? 1 / kFactors[i] : 1);
  }
  CalibrationInput all = input();
  for (std::size_t i = 0; i < 3; ++i) all.xrf[i].coefficient = phantom.sites[i].coefficient;
  const Calibration c = calibrate(all);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(c.factors[i].factor / kFactors[i], 1, 1e-5) << i;
  EXPECT_LT(*c.factors[0].inflation, 10);
  EXPECT_GT(*c.factors[1].inflation, 100);
  EXPECT_TRUE(warns(c,
                    "xrf-2: its sinogram is nearly a combination of others, most similar to "
                    "xrf-3"));
}

TEST_F(CalibrationTest, HasTheUncertaintyItReports) {
  const std::vector<Block> clean = data_;
  for (const double level : {0.02, 0.1}) {
    double squares = 0;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
      data_ = clean;
      add_noise(level, seed);
      const Calibration c = calibrate(input());
      for (std::size_t i = 0; i < 3; ++i) {
        const double off = (c.factors[i].factor - kFactors[i]) / *c.factors[i].uncertainty;
        EXPECT_LT(std::abs(off), 4) << level << " " << seed << " " << i;
        EXPECT_LT(*c.factors[i].uncertainty, level * kFactors[i]);
        squares += off * off / 24;
      }
      EXPECT_GT(c.residual, 0.5 * level);
      EXPECT_LT(c.unexplained, level);
      EXPECT_TRUE(c.warnings.empty());
    }
    EXPECT_GT(squares, 0.4) << level;
    EXPECT_LT(squares, 2.5) << level;
  }
}

// Least squares, which takes the noise of XRF for signal, is biased.
TEST_F(CalibrationTest, IsNotBiasedByTheNoiseOfXrf) {
  data_[3] = Block(geometry_.rays(), 1);
  add_to(data_[3], truth_[0], kCoefficients[0]);
  add_noise(0.1);
  const Calibration c = calibrate(input(1));
  double xy = 0;
  double xx = 0;
  for (std::size_t k = 0; k < data_[0].size(); ++k) {
    const double x = kCoefficients[0] * static_cast<double>(data_[0].data()[k]);
    xy += x * data_[3].data()[k];
    xx += x * x;
  }
  const double u = *c.factors[0].uncertainty;
  EXPECT_LT(std::abs(c.factors[0].factor - kFactors[0]), 4 * u);
  EXPECT_GT(kFactors[0] - xy / xx, 8 * u);
}

TEST_F(CalibrationTest, WarnsAboutAMissingElement) {
  const Calibration c = calibrate(input(2));
  EXPECT_GT(c.unexplained, 0.05);
  EXPECT_GT(c.residual, 0.05);
  EXPECT_TRUE(warns(c, "an element is missing"));
}

TEST_F(CalibrationTest, WarnsAboutSimilarSinograms) {
  data_[1] = data_[0];
  const Calibration c = calibrate(input());
  EXPECT_TRUE(warns(c,
                    "xrf-1: its sinogram is nearly a combination of others, most similar to "
                    "xrf-2"));
  EXPECT_FALSE(c.factors[0].inflation && *c.factors[0].inflation < 1e6);
}

TEST_F(CalibrationTest, WarnsAboutAFactorOfZero) {
  add_to(data_[3], truth_[1], -1.5 * kCoefficients[1]);
  const Calibration c = calibrate(input());
  EXPECT_EQ(c.factors[1].factor, 0);
  EXPECT_GT(c.factors[0].factor, 0);
  EXPECT_TRUE(warns(c, "xrf-2: factor 0"));
}

TEST_F(CalibrationTest, WarnsAboutAnEmptySite) {
  add_to(data_[3], truth_[1], -kCoefficients[1]);
  data_[1] = Block(geometry_.rays(), 1);
  const Calibration c = calibrate(input());
  ASSERT_EQ(c.warnings.size(), 1u);
  EXPECT_TRUE(warns(c, "xrf-2: no signal"));
  EXPECT_NEAR(c.factors[0].factor / kFactors[0], 1, 1e-5);
  EXPECT_EQ(c.factors[1].factor, 0);
}

TEST_F(CalibrationTest, WarnsAboutAnUncertainFactor) {
  for (float& v : data_[0].values()) v *= 1e-9F;
  Random random(1, 0);
  add_gaussian_noise(2.0, random, data_[0]);
  const Calibration c = calibrate(input());
  EXPECT_TRUE(warns(c, "xrf-1: "));
}

TEST_F(CalibrationTest, IgnoresMaskedValues) {
  for (std::size_t i = 0; i < 4; ++i) {
    weights_[i] = Block(data_[i].rows(), 1);
    for (std::size_t k = 0; k < data_[i].size(); ++k) {
      const bool masked = (k + 7 * i) % 23 == 0;
      weights_[i].data()[k] = masked ? 0.0F : 0.5F;
      if (masked) data_[i].data()[k] = 1e4F;
    }
  }
  const Calibration c = calibrate(input());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(c.factors[i].factor / kFactors[i], 1, 1e-5);
  EXPECT_LT(c.values, data_[3].size());
}

TEST_F(CalibrationTest, RefusesXrtWithoutSignal) {
  weights_[1] = Block(data_[1].rows(), 1);
  EXPECT_CONTAINS(error_of([&] { calibrate(input()); }), "rays at which all sites have a value");
  weights_[1] = Block();
  data_[3] = Block(data_[3].rows(), 1);
  EXPECT_CONTAINS(error_of([&] { calibrate(input()); }), "the attenuation of an object");
}

TEST_F(CalibrationTest, AttributesTheRemainderToOtherMatter) {
  // Other matter as strong as an element, beside some elements and within others.
  add_to(data_[3], sinogram_of(image_of({0.68, 0.6, 0.18}, geometry_, 2), geometry_), 100);
  for (const double noise : {0.0, 0.01}) {
    add_noise(noise);
    CalibrationInput both = input();
    const Calibration without = calibrate(both);
    both.other = true;
    const Calibration with = calibrate(both);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(with.factors[i].factor / kFactors[i], 1, 0.01) << i << " " << noise;
    }
    EXPECT_GT(without.factors[1].factor, 1.3 * kFactors[1]);
    EXPECT_TRUE(warns(without, "an element is missing"));
    EXPECT_TRUE(warns(with, "other = true"));
    EXPECT_FALSE(warns(with, "an element is missing"));
  }
}

// ---- other rays --------------------------------------------------------------------------------

TEST_F(CalibrationTest, ComparesSitesWithOtherRays) {
  Geometry other = geometry_;
  other.angles = half_turn(41);
  for (double& angle : other.angles) angle += 0.03;
  other.beamlets = 120;
  other.spacing *= 0.8;
  other.rotation_axis = 57.3;
  for (const double noise : {0.0, 0.02}) {
    std::vector<RayValues> along;
    std::vector<Block> measured(3);
    CalibrationInput all = input();
    for (std::size_t i = 0; i < 3; ++i) {
      measured[i] = Block(other.rays(), 1);
      add_to(measured[i], sinogram_of(image_of(kThreeDiscs[i], geometry_, 2), other),
             1 / kFactors[i]);
      Random random(2, i);
      add_gaussian_noise(noise, random, measured[i]);
      Site site;
      site.geometry = other;
      along.push_back(values_along(site, {i, measured[i]}, geometry_, 1));
      EXPECT_FALSE(along[i].own);
    }
    for (std::size_t i = 0; i < 3; ++i) all.xrf[i].values = &along[i].values;
    const Calibration c = calibrate(all);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(c.factors[i].factor / kFactors[i], 1, 0.02) << i << " " << noise;
    }
    EXPECT_LT(c.unexplained, 0.05);
  }
}

TEST_F(CalibrationTest, IgnoresMaskedValuesOnOtherRays) {
  Geometry other = geometry_;
  other.rotation_axis += 0.5;
  const Block b = sinogram_of(image_of(kThreeDiscs[1], geometry_, 2), other);
  SiteData data{0, b, Block(b.rows(), 1)};
  for (std::size_t k = 0; k < b.size(); ++k) {
    const bool masked = k % 29 == 0;
    data.weights.data()[k] = masked ? 0.0F : 1.0F;
    if (masked) data.values.data()[k] = 100;
  }
  Site site;
  site.geometry = other;
  const Block found = values_along(site, data, geometry_, 1).values;
  double squares = 0;
  double all = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double truth = static_cast<double>(truth_[1].data()[k]);
    squares += (found.data()[k] - truth) * (found.data()[k] - truth);
    all += truth * truth;
  }
  EXPECT_LT(std::sqrt(squares / all), 0.06);
}

TEST_F(CalibrationTest, KeepsSinogramsOnTheSameRays) {
  Site site;
  site.geometry = geometry_;
  const RayValues same = values_along(site, {0, data_[0]}, geometry_, 1);
  EXPECT_TRUE(same.own);
  EXPECT_TRUE(std::ranges::equal(same.values.values(), data_[0].values()));
}

// ---- the fit -----------------------------------------------------------------------------------

double cost(const std::vector<double>& G, const std::vector<double>& h,
            const std::vector<double>& f) {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    sum -= 2 * h[i] * f[i];
    for (std::size_t k = 0; k < f.size(); ++k) sum += f[i] * G[i * f.size() + k] * f[k];
  }
  return sum;
}

// KKT: the gradient is 0 where f > 0, and not negative where f = 0.
TEST(NonnegativeFit, IsTheOptimum) {
  Random random(3, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial) % 6;
    std::vector<double> A((n + 2) * n);
    for (double& a : A) a = random.normal();
    std::vector<double> G(n * n);
    std::vector<double> h(n);
    for (std::size_t i = 0; i < n; ++i) {
      h[i] = random.normal();
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t r = 0; r < n + 2; ++r) G[i * n + k] += A[r * n + i] * A[r * n + k];
      }
    }
    const std::vector<double> f = nonnegative_fit(G, h);
    for (std::size_t i = 0; i < n; ++i) {
      double slope = -h[i];
      for (std::size_t k = 0; k < n; ++k) slope += G[i * n + k] * f[k];
      EXPECT_GE(f[i], 0);
      if (f[i] > 0) {
        EXPECT_NEAR(slope, 0, 1e-9);
      } else {
        EXPECT_GT(slope, -1e-9);
      }
    }
    EXPECT_LE(cost(G, h, f), 0);
  }
}

TEST(NonnegativeFit, UsesOneOfTwoEqualUnknowns) {
  const std::vector<double> f = nonnegative_fit({4, 4, 4, 4}, {8, 8});
  EXPECT_NEAR(f[0] + f[1], 2, 1e-12);
  EXPECT_EQ(std::min(f[0], f[1]), 0);
  EXPECT_FALSE(variance_inflation({4, 4, 4, 4}, 2, 0));
  EXPECT_NEAR(*variance_inflation({4, 2, 2, 4}, 2, 1), 1 / (1 - 0.25), 1e-12);
}

}  // namespace
}  // namespace firm
