#include "sim/defects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr double kPi = 3.14159265358979323846;

Geometry files(int angles) { return paper_geometry(64, angles); }

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v / static_cast<double>(values.size());
  return sum;
}

// Rays x slices, with the same values in all slices.
Block rows(const std::vector<double>& values, std::size_t slices = 1) {
  Block block(values.size(), slices);
  for (std::size_t k = 0; k < block.size(); ++k) {
    block.data()[k] = static_cast<float>(values[k / slices]);
  }
  return block;
}

TEST(TrueScan, IsThatOfFilesWithoutDefects) {
  const Geometry g = files(12);
  const TrueScan scan = true_scan({}, g, 1);
  EXPECT_EQ(scan.angles, g.angles);
  EXPECT_EQ(scan.angle_scale, 1);
  EXPECT_EQ(scan.rotation_axis, g.rotation_axis);
  EXPECT_EQ(scan.shifts, std::vector<double>(12, 0.0));
  EXPECT_EQ(scan.vertical_shifts, std::vector<double>(12, 0.0));
  EXPECT_EQ(scan.gain, std::vector<double>(12, 1.0));
}

TEST(TrueScan, ShiftsHaveNoPartOfAxisOrPosition) {
  Defects d;
  d.jitter = 3;
  d.drift = 8;
  d.angle_error = 0.02;
  const TrueScan scan = true_scan(d, files(37), 5);
  std::vector<double> one;
  std::vector<double> cosine;
  std::vector<double> sine;
  for (const double angle : scan.angles) {
    one.push_back(1);
    cosine.push_back(std::cos(angle));
    sine.push_back(std::sin(angle));
  }
  EXPECT_GT(std::sqrt(dot(scan.shifts, scan.shifts) / 37), 1);
  EXPECT_NEAR(dot(scan.shifts, one), 0, 1e-11);
  EXPECT_NEAR(dot(scan.shifts, cosine), 0, 1e-11);
  EXPECT_NEAR(dot(scan.shifts, sine), 0, 1e-11);
}

TEST(TrueScan, JitterIsUniform) {
  Defects d;
  d.jitter = 2;
  const TrueScan scan = true_scan(d, files(20000), 3);
  EXPECT_NEAR(dot(scan.shifts, scan.shifts) / 20000, 4.0 / 3, 0.04);
  EXPECT_LT(*std::max_element(scan.shifts.begin(), scan.shifts.end()), 2.1);
  EXPECT_GT(*std::min_element(scan.shifts.begin(), scan.shifts.end()), -2.1);
  EXPECT_NE(scan.shifts, true_scan(d, files(20000), 4).shifts);
}

// f = a + b cos + c sin at angles of equal distance satisfies f3 - q f2 + q f1 - f0 = 0 with
// q = 1 + 2 cos(distance).
TEST(TrueScan, DriftIsLineUpToAxisAndPosition) {
  Defects d;
  d.drift = -6;
  const std::vector<double> shifts = true_scan(d, files(30), 1).shifts;
  std::vector<double> rest;
  for (std::size_t k = 0; k < 30; ++k)
    rest.push_back(shifts[k] + 6.0 * static_cast<double>(k) / 29);
  const double q = 1 + 2 * std::cos(kPi / 30);
  for (std::size_t k = 0; k + 3 < 30; ++k) {
    EXPECT_NEAR(rest[k + 3] - q * rest[k + 2] + q * rest[k + 1] - rest[k], 0, 1e-12);
  }
}

TEST(TrueScan, VerticalJitterHasMeanZero) {
  Defects d;
  d.vertical_jitter = 0.5;
  const std::vector<double> shifts = true_scan(d, files(5000), 1).vertical_shifts;
  EXPECT_NEAR(mean(shifts), 0, 1e-14);
  EXPECT_NEAR(dot(shifts, shifts) / 5000, 0.25 / 3, 0.005);
  EXPECT_EQ(true_scan(d, files(5000), 1).shifts, std::vector<double>(5000, 0.0));
}

TEST(TrueScan, AngleErrorStretchesFromFirstAngle) {
  Geometry g = files(4);
  g.angles = {0.5, 0.7, 1.0, 0.2};
  Defects d;
  d.angle_error = 0.1;
  const TrueScan scan = true_scan(d, g, 1);
  const double expected[] = {0.5, 0.72, 1.05, 0.17};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(scan.angles[k], expected[k], 1e-15);
  EXPECT_EQ(scan.angle_scale, 1.1);
}

TEST(TrueScan, GainHasMeanOneAndSizeAsked) {
  Defects d;
  d.beam_drift = 0.2;
  const std::vector<double> gain = true_scan(d, files(50), 1).gain;
  EXPECT_NEAR(mean(gain), 1, 1e-14);
  const auto [least, most] = std::minmax_element(gain.begin(), gain.end());
  EXPECT_NEAR(*most - *least, 0.2, 1e-14);
  for (std::size_t k = 1; k < 50; ++k) EXPECT_LT(std::abs(gain[k] - gain[k - 1]), 0.02);
  d.beam_drift = -1;
  for (const double value : true_scan(d, files(50), 1).gain) EXPECT_GT(value, 0);
}

TEST(Lag, IsRecursionOfOnePole) {
  const std::vector<double> x = {1, 1, 3, 2, 0.5, 4, 4, 0};  // two angles of four beamlets
  const double a = std::exp(-1 / 2.5);
  Block values = rows(x, 2);
  apply_lag(2.5, 4, values);
  double state = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    state = k % 4 == 0 ? x[k] : a * state + (1 - a) * x[k];
    EXPECT_NEAR(static_cast<double>(values(k, 0)), state, 1e-6) << k;
    EXPECT_EQ(values(k, 0), values(k, 1));
  }
}

TEST(Lag, ActsOnIntensities) {
  const std::vector<double> b = {0, 2.5, 0.1, 1};
  const double a = std::exp(-1 / 3.0);
  Block values = rows(b);
  apply_lag_to_transmission(3, 4, values);
  double state = 1;
  for (std::size_t k = 0; k < b.size(); ++k) {
    state = a * state + (1 - a) * std::exp(-b[k]);
    EXPECT_NEAR(static_cast<double>(values(k, 0)), -std::log(state), 1e-6) << k;
  }
}

TEST(Lag, OfZeroChangesNothing) {
  Block values = rows({1, 5, 2});
  apply_lag(0, 3, values);
  apply_lag_to_transmission(0, 3, values);
  EXPECT_EQ(values(1, 0), 5);
  EXPECT_EQ(values(2, 0), 2);
}

TEST(Gain, MultipliesSignalsOfItsAngle) {
  Block signal = rows({1, 2, 3, 4});
  Block b = signal;
  apply_gain({0.5, 2}, 2, signal);
  apply_gain_to_logarithms({0.5, 2}, 2, b);
  const double expected[] = {0.5, 1, 6, 8};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_FLOAT_EQ(signal(k, 0), static_cast<float>(expected[k]));
    const double transmission = std::exp(-static_cast<double>(k + 1)) * (k < 2 ? 0.5 : 2);
    EXPECT_NEAR(static_cast<double>(b(k, 0)), -std::log(transmission), 1e-6);
  }
}

TEST(VerticalShifts, MoveObjectAlongRows) {
  Block tall(3 * 2, 6);  // three angles, two beamlets, slice k is k * k
  for (std::size_t ray = 0; ray < 6; ++ray) {
    for (std::size_t k = 0; k < 6; ++k) tall(ray, k) = static_cast<float>(k * k);
  }
  const Block shown = at_vertical_shifts(tall, 2, 1, {0, 1, -0.25});
  ASSERT_EQ(shown.columns(), 4u);
  for (std::size_t y = 0; y < 4; ++y) {
    const double at = static_cast<double>(y) + 1;
    EXPECT_FLOAT_EQ(shown(0, y), static_cast<float>(at * at));
    EXPECT_FLOAT_EQ(shown(3, y), static_cast<float>((at - 1) * (at - 1)));
    EXPECT_FLOAT_EQ(shown(4, y), static_cast<float>(0.75 * at * at + 0.25 * (at + 1) * (at + 1)));
  }
}

TEST(Defects, NamesWrongOption) {
  const auto refuse = [](const std::string& option, auto change, int angles = 10, int slices = 2) {
    Defects d;
    change(d);
    const std::string text = error_of([&] { d.validate(64, angles, slices); });
    EXPECT_CONTAINS(text, "simulate: " + option + ": expected ");
    EXPECT_CONTAINS(text, ", found ");
  };
  refuse("jitter", [](Defects& d) { d.jitter = -1; });
  refuse("jitter", [](Defects& d) { d.jitter = 65; });
  refuse("jitter", [](Defects& d) { d.jitter = NAN; });
  refuse(
      "jitter", [](Defects& d) { d.jitter = 1; }, 3);
  refuse("drift", [](Defects& d) { d.drift = -65; });
  refuse(
      "drift", [](Defects& d) { d.drift = 1; }, 3);
  refuse("vertical-jitter", [](Defects& d) { d.vertical_jitter = -0.1; });
  refuse(
      "vertical-jitter", [](Defects& d) { d.vertical_jitter = 0.5; }, 10, 1);
  refuse("axis-offset", [](Defects& d) { d.axis_offset = INFINITY; });
  refuse("angle-error", [](Defects& d) { d.angle_error = -1; });
  refuse("lag", [](Defects& d) { d.lag = -3; });
  refuse("beam-drift", [](Defects& d) { d.beam_drift = 1.5; });
  refuse("crosstalk", [](Defects& d) { d.crosstalk = -0.1; });
  refuse("crosstalk", [](Defects& d) { d.crosstalk = 2; });
}

}  // namespace
}  // namespace firm
