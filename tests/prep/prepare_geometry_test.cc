// The rays of a prepared site: binning, axis, shift and angles.
#include <gtest/gtest.h>

#include "firm/projector.h"
#include "prep/xrt_site.h"

namespace firm {
namespace {

using PrepareGeometry = XrtSite;

TEST_F(PrepareGeometry, BinsBeamletsAndRowsFromFirstSlice) {
  constexpr std::size_t kRows = 6;
  Block data(kAngles * beamlets_, kRows);
  for (std::size_t k = 0; k < data.size(); ++k) data.data()[k] = static_cast<float>(k % 977);
  file_data_.data = data;
  file_data_.white = file_data_.dark = Block();
  file_data_.units = "1";
  entry_.prepare = {};
  file_.slices = 2;
  entry_.first_slice = 1;
  entry_.binning = 2;
  const PreparedSite p = prepare();
  ASSERT_EQ(p.data.values.rows(), kAngles * beamlets_ / 2);
  ASSERT_EQ(p.data.values.columns(), 2u);
  const auto at = [&](std::size_t x, std::size_t y) { return data(ray(3, x), y); };
  EXPECT_FLOAT_EQ(p.data.values(3 * (beamlets_ / 2) + 5, 1),
                  (at(10, 3) + at(11, 3) + at(10, 4) + at(11, 4)) / 4);
  const Geometry& g = p.site.geometry;
  EXPECT_EQ(g.beamlets, geometry_.beamlets / 2);
  EXPECT_DOUBLE_EQ(g.spacing, 2 * kPixel);
  EXPECT_DOUBLE_EQ(g.rotation_axis, geometry_.rotation_axis / 2);

  entry_.binning = 3;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "2 slices as in [image]");
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "binning = 3: 7 rows, found 6");
  entry_.first_slice = 0;
  expect_warning(prepare(), "the last 2 of the 68 beamlets are not used, because binning = 3");
}

TEST_F(PrepareGeometry, ReportsTheAxisInBeamletsOfTheFile) {
  Block two(clean_.rows(), 2);  // binning takes two rows
  Block white(file_data_.white.rows(), 2);
  Block dark(file_data_.dark.rows(), 2);
  for (std::size_t k = 0; k < two.size(); ++k) two.data()[k] = file_data_.data.data()[k / 2];
  for (std::size_t k = 0; k < white.size(); ++k) {
    white.data()[k] = file_data_.white.data()[k / 2];
    dark.data()[k] = file_data_.dark.data()[k / 2];
  }
  file_data_.data = two;
  file_data_.white = white;
  file_data_.dark = dark;
  entry_.binning = 2;
  entry_.find_rotation_axis = true;
  PreparedSite p = prepare();
  ASSERT_TRUE(p.report.axis);
  EXPECT_NEAR(p.report.axis->axis, geometry_.rotation_axis, 0.25);
  EXPECT_EQ(p.site.geometry.rotation_axis, p.report.axis->axis / 2);
  entry_.axis_search = 2;  // in beamlets of the file: 32 to 36; the axis is at 37.3
  expect_warning(prepare(), "at the end of the search range 32 to 36");
}

// The object is displaced at this site. Rays through the common image must meet it at the same
// beamlet as at the site.
TEST_F(PrepareGeometry, ShiftsTheRaysWithTheObject) {
  constexpr int kRight = 5;
  constexpr int kUp = -3;
  const auto image_of_point = [&](int row, int column) {
    Block image(geometry_.pixels(), 1);
    image(static_cast<std::size_t>(row * kSize + column), 0) = 1;
    return image;
  };
  const auto projection = [](const Geometry& g, const Block& image) {
    Block b(g.rays(), 1);
    make_projector(g)->forward(image, b);
    return b;
  };
  entry_.shift_x = kRight * kPixel;
  entry_.shift_y = kUp * kPixel;
  const Geometry g = prepare().site.geometry;
  ASSERT_EQ(g.shifts.size(), g.angles.size());
  const Block seen = projection(geometry_, image_of_point(20 - kUp, 17 + kRight));
  const Block expected = projection(g, image_of_point(20, 17));
  double difference = 0;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    difference = std::max(difference, std::abs(double{seen.data()[k]} - expected.data()[k]));
  }
  EXPECT_LT(difference, 1e-3 * kPixel);
}

TEST_F(PrepareGeometry, ScalesTheAnglesFromTheFirstOne) {
  for (double& theta : file_data_.theta) theta += 30;
  entry_.angle_scale = 1.5;
  entry_.angle_offset = 2;
  const Geometry g = prepare().site.geometry;
  const double degree = std::acos(0.0) / 90;
  EXPECT_NEAR(g.angles[0], 32 * degree, 1e-12);
  EXPECT_NEAR(g.angles[10], (30 + 1.5 * 10 * 180 / kAngles + 2) * degree, 1e-12);
}

TEST_F(PrepareGeometry, TakesShiftsFromTheStudy) {
  for (int k = 0; k < kAngles; ++k) entry_.shifts.values.push_back(0.1 * k);
  EXPECT_EQ(prepare().site.geometry.shifts, entry_.shifts.values);
  entry_.shifts.values.pop_back();
  const std::string text = error_of([&] { prepare(); });
  EXPECT_CONTAINS(text, "study.toml: shifts: expected 60 shifts, one per angle of");
  EXPECT_CONTAINS(text, "found 59");
  entry_.shifts = {};
  entry_.prepare.gain.values.assign(kAngles, 0);
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "gain: expected finite factors above 0, found 0");
}

TEST_F(PrepareGeometry, AddsTheOffsetOfTheAngles) {
  entry_.angle_offset = 90;
  const Geometry g = prepare().site.geometry;
  EXPECT_NEAR(g.angles[0], std::acos(0.0), 1e-12);
  EXPECT_NEAR(g.angles[1] - g.angles[0], geometry_.angles[1], 1e-12);
}

TEST_F(PrepareGeometry, ReversesAnglesAfterTheOffset) {
  entry_.angle_offset = 90;
  entry_.reverse_angles = true;
  const Geometry g = prepare().site.geometry;
  EXPECT_NEAR(g.angles[0], -std::acos(0.0), 1e-12);
  EXPECT_NEAR(g.angles[1] - g.angles[0], -geometry_.angles[1], 1e-12);
}

}  // namespace
}  // namespace firm
