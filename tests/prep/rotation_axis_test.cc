// Estimates the rotation axis from noisy projections of phantoms.
#include "prep/axis/rotation_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "firm/projector.h"
#include "prep/axis/centre_of_mass.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr int kSize = 96;

struct Trial {
  double offset = 0;  // of the axis from the middle, in beamlets
  int angles = 60;
  double span = 180;    // degrees
  double noise = 0.02;  // of the largest value
  int site = 3;         // of the simulated study: 3 is XRT
};

class AxisOf {
 public:
  explicit AxisOf(const Trial& trial) {
    SimulateOptions options;
    options.size = kSize;
    options.angles = 2;
    const Simulation simulation = simulate(options);
    Geometry g = paper_geometry(kSize, trial.angles, 1);
    for (std::size_t k = 0; k < g.angles.size(); ++k) {
      g.angles[k] = static_cast<double>(k) * trial.span / trial.angles * std::numbers::pi / 180;
    }
    std::shuffle(g.angles.begin(), g.angles.end(), random_);
    g.rotation_axis += trial.offset;
    truth = g.rotation_axis;
    Block b(g.rays(), 1);
    make_projector(g)->forward(simulation.sites[static_cast<std::size_t>(trial.site)].truth, b);
    const float largest = *std::max_element(b.values().begin(), b.values().end());
    std::normal_distribution<float> noise(0, 1);
    for (float& value : b.values()) {
      value += static_cast<float>(trial.noise) * largest * noise(random_);
    }
    angles = g.angles;
    sinogram = Sinogram(static_cast<std::size_t>(g.beamlets), std::move(b));
    range = {static_cast<double>(g.beamlets) / 2, static_cast<double>(g.beamlets) / 4};
  }

  RotationAxis find() const { return find_rotation_axis(sinogram, angles, {}, range); }
  std::vector<std::string> warnings(const RotationAxis& axis) const {
    return axis_warnings(axis, range, 1);
  }

  double truth = 0;
  std::vector<double> angles;
  Sinogram sinogram;
  AxisRange range;

 private:
  std::mt19937 random_{11};
};

void expect_found(const Trial& trial) {
  const AxisOf data(trial);
  const RotationAxis axis = data.find();
  EXPECT_TRUE(axis.found);
  EXPECT_NEAR(axis.axis, data.truth, 0.25) << "offset " << trial.offset;
  EXPECT_LT(axis.uncertainty, 0.6);  // leaving out 22 degrees moves the axis by itself
  EXPECT_FALSE(axis.at_edge);
  for (const std::string& warning : data.warnings(axis)) ADD_FAILURE() << warning;
}

TEST(RotationAxisTest, FindsAxisTensOfBeamletsOff) {
  for (const double offset : {-19.7, 0.0, 11.65, 19.5}) expect_found({offset});
}

TEST(RotationAxisTest, FindsAxisOverAnySpan) {
  expect_found({.offset = 7.4, .angles = 45, .span = 360});
  for (const double offset : {9.4, -6.2}) {
    const AxisOf data({.offset = offset, .angles = 45, .span = 140, .noise = 0.01});
    EXPECT_NEAR(data.find().axis, data.truth, 0.5);  // measured: below 0.25, and 0.28
  }
}

TEST(RotationAxisTest, WarnsAboutMissingAngles) {
  const AxisOf data({.offset = -6.2, .angles = 45, .span = 90, .noise = 0.01});
  const RotationAxis axis = data.find();
  EXPECT_NEAR(axis.axis, data.truth, 4);
  EXPECT_NEAR(axis.gap, 92, 0.1);
  const std::vector<std::string> warnings = data.warnings(axis);
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& w) {
    return w.find("leave out 92 degrees") != std::string::npos;
  }));
}

TEST(RotationAxisTest, FindsAxisInFewProjectionsAndInFluorescence) {
  expect_found({.offset = 5.3, .angles = 20, .noise = 0.01});
  expect_found({.offset = -13.7, .angles = 40, .noise = 0.05, .site = 0});
}

TEST(RotationAxisTest, FindsAxisAmongMaskedValues) {
  AxisOf data({.offset = 9.2});
  Sinogram& s = data.sinogram;
  for (std::size_t a = 0; a < s.angles; ++a) {
    for (const std::size_t x : {40u, 41u, 90u}) {
      s.value(s.index(a, x, 0)) = std::numeric_limits<float>::quiet_NaN();
      s.mark(s.index(a, x, 0), Flaw::kNotFinite);
    }
  }
  for (std::size_t x = 0; x < s.beamlets; ++x) s.mark(s.index(4, x, 0), Flaw::kNoBeam);
  EXPECT_NEAR(data.find().axis, data.truth, 0.25);
}

TEST(RotationAxisTest, UsesShiftsOfAngles) {
  AxisOf data({.offset = -8});
  std::vector<double> shifts;
  for (const double angle : data.angles)
    shifts.push_back(6 * std::cos(angle) - 3 * std::sin(angle));
  // The data has no shifts: with sinusoidal shifts the object seems to be elsewhere.
  const RotationAxis axis = find_rotation_axis(data.sinogram, data.angles, shifts, data.range);
  EXPECT_NEAR(axis.axis, data.truth, 0.25);
}

TEST(RotationAxisTest, WarnsAboutNarrowRange) {
  AxisOf data({.offset = 15});
  data.range.width = 6;
  const RotationAxis axis = data.find();
  EXPECT_TRUE(axis.at_edge);
  const std::vector<std::string> warnings = data.warnings(axis);
  ASSERT_FALSE(warnings.empty());
  EXPECT_CONTAINS(warnings[0], "a wider axis_search");
  EXPECT_CONTAINS(warnings[0], "62 to 74");
}

TEST(RotationAxisTest, WarnsAboutEmptyData) {
  AxisOf data({});
  std::ranges::fill(data.sinogram.values.values(), 0.0f);
  const RotationAxis axis = data.find();
  EXPECT_FALSE(axis.found);
  EXPECT_EQ(axis.axis, data.range.middle);
  ASSERT_EQ(data.warnings(axis).size(), 1u);
  EXPECT_CONTAINS(data.warnings(axis)[0], "0 throughout");
}

TEST(RotationAxisTest, WarnsAboutPureNoise) {
  AxisOf data({});
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0, 1);
  for (float& value : data.sinogram.values.values()) value = noise(random);
  const RotationAxis axis = data.find();
  ASSERT_FALSE(data.warnings(axis).empty());
  EXPECT_CONTAINS(data.warnings(axis)[0], axis.at_edge ? "axis_search" : "uncertain");
}

// ---- centre of mass

TEST(CentreOfMass, IsExactForACompleteObject) {
  const AxisOf data({.offset = 17.25, .noise = 0});
  const auto axis = axis_by_centre_of_mass(data.sinogram, data.angles, {}, {0});
  ASSERT_TRUE(axis);
  EXPECT_NEAR(*axis, data.truth, 0.05);
}

TEST(CentreOfMass, NeedsThreeAngles) {
  AxisOf data({.offset = 3, .angles = 60});
  const std::vector<double> two(60, 0.5);
  EXPECT_FALSE(axis_by_centre_of_mass(data.sinogram, two, {}, {0}));
  std::ranges::fill(data.sinogram.values.values(), 0.0f);
  EXPECT_FALSE(axis_by_centre_of_mass(data.sinogram, data.angles, {}, {0}));
}

}  // namespace
}  // namespace firm
