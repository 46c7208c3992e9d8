#include "io/inspect/angle_coverage.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "io/inspect/transmission_values.h"

namespace firm {
namespace {

std::vector<double> angles(int count, double span, double start = 0) {
  std::vector<double> degrees;
  for (int k = 0; k < count; ++k) degrees.push_back(start + span * k / count);
  return degrees;
}

void expect_warning(const std::vector<double>& degrees, const std::string& text) {
  EXPECT_NE(warn_angle_coverage(degrees).find(text), std::string::npos)
      << text << " in " << warn_angle_coverage(degrees);
}

TEST(AngleCoverageTest, AcceptsHalfAndFullTurns) {
  for (const int count : {4, 5, 25, 180}) {
    EXPECT_EQ(warn_angle_coverage(angles(count, 180)), "") << count;
    EXPECT_EQ(warn_angle_coverage(angles(count, 360, -90)), "") << count;
  }
  EXPECT_EQ(warn_angle_coverage(angles(90, 150)), "");
  EXPECT_EQ(warn_angle_coverage({}), "");
}

TEST(AngleCoverageTest, WarnsAboutGaps) {
  expect_warning(angles(60, 120), "no angles between 118 and 180 degrees");
  expect_warning(angles(30, 90, 100), "modulo 180");
}

TEST(AngleCoverageTest, WarnsAboutSingleAndEqualAngles) {
  expect_warning({10}, "only one angle");
  expect_warning({10, 10, 10}, "all 3 angles are 10 degrees");
}

TEST(AngleCoverageTest, LeavesRadiansToTheReaderAndWarnsAboutShortSpans) {
  EXPECT_EQ(warn_angle_coverage(angles(30, std::numbers::pi)), "");
  EXPECT_EQ(warn_angle_coverage(angles(30, 2 * std::numbers::pi)), "");
  expect_warning(angles(30, 3), "angle_unit = \"rad\" if they are radians");
  EXPECT_EQ(warn_angle_coverage({0, 2, 4}), "");  // too few to say
}

TEST(TransmissionValuesTest, NeedOneBesideAndLessInside) {
  ValueStatistics v;
  v.min = 0.2;
  v.max = 1.05;
  v.mean = 0.7;
  EXPECT_NE(warn_transmission_values(v, 1.01).find("minus_log"), std::string::npos);
  EXPECT_EQ(warn_transmission_values(v, 0.01), "");  // logarithms
  v.max = 3;
  EXPECT_EQ(warn_transmission_values(v, 1), "");
  v.max = 1.05;
  EXPECT_EQ(warn_transmission_values(v, std::numeric_limits<double>::quiet_NaN()), "");
}

}  // namespace
}  // namespace firm
