// Estimates of the lag of a detector, and the rotation axis of lagged data.
#include "prep/axis/lag_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "firm/projector.h"
#include "prep/axis/rotation_axis.h"
#include "prep/steps/lag.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr int kSize = 96;  // beamlets of the data are those of an image of this size
constexpr int kFine = 2;   // grid of the object: as many times finer

struct Trial {
  int angles = 90;
  double lag = 0;
  double noise = 0.01;  // of the largest value
  int site = 3;         // of the simulated study: 3 is XRT
};

// Projections of an object on a finer grid, up to 1.5, with a lag of the transmissions.
class LaggedScan {
 public:
  explicit LaggedScan(const Trial& trial) {
    constexpr double kOffset = 4.3;  // of the axis
    constexpr double kLargest = 1.5;
    SimulateOptions options;
    options.size = kSize * kFine;
    options.angles = 2;
    const Simulation simulation = simulate(options);
    Geometry g = paper_geometry(kSize * kFine, trial.angles, 1);
    g.beamlets = g.beamlets / kFine * kFine;
    g.rotation_axis = g.beamlets / 2.0 + kFine * kOffset;
    Block b(g.rays(), 1);
    make_projector(g)->forward(simulation.sites[static_cast<std::size_t>(trial.site)].truth, b);
    const float factor =
        static_cast<float>(kLargest / kFine) / *std::ranges::max_element(b.values());
    const auto beamlets = static_cast<std::size_t>(g.beamlets / kFine);
    Block coarse(g.angles.size() * beamlets, 1);
    for (std::size_t k = 0; k < b.rows(); ++k) coarse(k / kFine, 0) += b(k, 0) * factor;
    std::mt19937 random(3);
    std::normal_distribution<double> normal(0, trial.noise * kLargest);
    const double a = trial.lag > 0 ? std::exp(-1 / trial.lag) : 0;
    double y = 0;
    for (std::size_t k = 0; k < coarse.rows(); ++k) {
      const double x = std::exp(-static_cast<double>(coarse(k, 0)));
      y = k % beamlets == 0 ? x : a * y + (1 - a) * x;
      coarse(k, 0) = static_cast<float>(-std::log(y) + normal(random));
    }
    const double middle = static_cast<double>(beamlets) / 2;
    truth = middle + kOffset;
    angles = g.angles;
    sinogram = Sinogram(beamlets, std::move(coarse));
    range = {middle, middle / 2};
  }

  double truth = 0;
  std::vector<double> angles;
  Sinogram sinogram;
  AxisRange range;
};

const LagOptions kLogarithms = {.logarithms = true, .shifts = {}, .axis = {}};

TEST(LagEstimateTest, SeesTheLagOfTransmissions) {
  for (const double lag : {7.0, 14.0}) {
    const LaggedScan scan({.angles = 36, .lag = lag});
    const LagEstimate found = estimate_lag(scan.sinogram, scan.angles, kLogarithms);
    EXPECT_TRUE(found.significant()) << lag;
    EXPECT_GT(found.lag, 0.7 * lag);
    EXPECT_NEAR(found.lag, lag, 1.2 * found.uncertainty);
  }
}

TEST(LagEstimateTest, SeesNoneInOrdinaryData) {
  for (const int site : {0, 3}) {
    for (const double noise : {0.01, 0.05}) {
      const LaggedScan scan({.angles = 36, .noise = noise, .site = site});
      const LagEstimate found = estimate_lag(scan.sinogram, scan.angles, kLogarithms);
      EXPECT_FALSE(found.significant()) << found.asymmetry;
      EXPECT_EQ(found.lag, 0);
    }
  }
}

TEST(LagEstimateTest, KnowsWhenDataCannotTell) {
  LaggedScan scan({.angles = 36});
  std::ranges::fill(scan.sinogram.values.values(), 0.0F);
  const LagEstimate found = estimate_lag(scan.sinogram, scan.angles);
  EXPECT_FALSE(found.significant());
  EXPECT_FALSE(std::isfinite(found.uncertainty));
}

// No resampling sees a lag: it moves the axis, and hardly changes the misfit.
TEST(AxisOfLaggedData, IsNotMoreCertainThanItIs) {
  for (const int angles : {36, 90}) {
    for (const double lag : {7.0, 14.0}) {
      if (angles == 90 && lag == 14) continue;  // takes long
      const LaggedScan scan({.angles = angles, .lag = lag});
      const RotationAxis axis =
          find_rotation_axis(scan.sinogram, scan.angles, {}, scan.range, true);
      EXPECT_GT(axis.axis - scan.truth, 0.7 * lag);
      EXPECT_NEAR(axis.axis, scan.truth, 1.5 * axis.uncertainty) << angles << " " << lag;
      const std::vector<std::string> warnings = axis_warnings(axis, scan.range, 1);
      ASSERT_FALSE(warnings.empty());
      EXPECT_CONTAINS(warnings[0], "looks lagged, which moves the rotation axis");
      EXPECT_CONTAINS(warnings[0], "--refine lag");
    }
  }
}

TEST(AxisOfLaggedData, IsRightWithoutTheLag) {
  LaggedScan scan({.angles = 36, .lag = 7});
  Sinogram& s = scan.sinogram;
  for (float& value : s.values.values()) value = std::exp(-value);
  remove_lag(7, s);
  for (float& value : s.values.values()) value = -std::log(value);
  const RotationAxis axis = find_rotation_axis(s, scan.angles, {}, scan.range, true);
  EXPECT_NEAR(axis.axis, scan.truth, 0.3);
  EXPECT_LT(axis.uncertainty, 0.5);
  EXPECT_TRUE(axis_warnings(axis, scan.range, 1).empty());
}

}  // namespace
}  // namespace firm
