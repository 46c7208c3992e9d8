// The conventions of docs/geometry.md, pinned by hand-made cases, and errors for bad geometries.
#include "firm/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "firm/error.h"
#include "firm/projector.h"

namespace firm {
namespace {

constexpr double kPi = std::numbers::pi;

// 5 x 5 pixels of 1 cm, 5 beamlets, one angle; the sinogram of a single pixel.
std::vector<float> project_point(double angle, int row, int column) {
  Geometry g = paper_geometry(5, 1, 1.0);
  g.beamlets = 5;
  g.rotation_axis = 2.5;
  g.angles = {angle};
  Block x(g.pixels(), 1);
  Block y(g.rays(), 1);
  x(static_cast<std::size_t>(row * 5 + column), 0) = 1;
  make_projector(g)->forward(x, y);
  return {y.data(), y.data() + y.size()};
}

using Sinogram = std::vector<float>;

TEST(Convention, AtZeroDegreesTheDetectorRunsToTheRight) {
  // t = X: a pixel in column 4, whatever its row, is seen by beamlet 4.
  EXPECT_EQ(project_point(0, 0, 4), (Sinogram{0, 0, 0, 0, 1}));
  EXPECT_EQ(project_point(0, 3, 1), (Sinogram{0, 1, 0, 0, 0}));
}

TEST(Convention, AtNinetyDegreesTheDetectorRunsUp) {
  // t = Y, and row 0 is on top: a pixel in row 0 is seen by the last beamlet.
  EXPECT_EQ(project_point(kPi / 2, 0, 1), (Sinogram{0, 0, 0, 0, 1}));
  EXPECT_EQ(project_point(kPi / 2, 3, 0), (Sinogram{0, 1, 0, 0, 0}));
}

TEST(Convention, AtHalfATurnTheDetectorRunsToTheLeft) {
  EXPECT_EQ(project_point(kPi, 0, 4), (Sinogram{1, 0, 0, 0, 0}));
  EXPECT_EQ(project_point(3 * kPi / 2, 0, 4), (Sinogram{1, 0, 0, 0, 0}));
}

TEST(Convention, AtFortyFiveDegreesUpperRightIsFarthest) {
  // The upper right corner pixel has t = (2 + 2) / sqrt(2) = 2.83, the middle t = 0.
  const Sinogram middle = project_point(kPi / 4, 2, 2);
  EXPECT_FLOAT_EQ(middle[2], std::sqrt(2.0f));
  const Sinogram right = project_point(kPi / 4, 1, 3);  // t = sqrt(2)
  EXPECT_GT(right[3], 0);
  EXPECT_GT(right[4], 0);
  EXPECT_EQ(right[0] + right[1], 0);
}

TEST(Convention, RotationAxisIsInEdgeCoordinates) {
  Geometry g = paper_geometry(4, 1);
  g.beamlets = 4;
  g.rotation_axis = 2;  // the middle of 4 beamlets
  EXPECT_DOUBLE_EQ(g.coordinate(0, 0), -1.5 * g.spacing);
  EXPECT_DOUBLE_EQ(g.coordinate(0, 3), 1.5 * g.spacing);
  g.rotation_axis = 3;  // the axis one beamlet further right: the object appears there
  EXPECT_DOUBLE_EQ(g.coordinate(0, 0), -2.5 * g.spacing);
  g.shifts = {0.25};
  EXPECT_DOUBLE_EQ(g.coordinate(0, 0), -2.75 * g.spacing);
}

TEST(Convention, ShiftMovesTheSinogramToTheRight) {
  Geometry g = paper_geometry(5, 1, 1.0);
  g.beamlets = 7;
  g.rotation_axis = 3.5;
  Block x(g.pixels(), 1);
  x(12, 0) = 1;  // the middle
  Block y(g.rays(), 1);
  g.shifts = {2};
  make_projector(g)->forward(x, y);
  EXPECT_EQ(y(5, 0), 1);
}

TEST(Direction, IsExactOnTheAxes) {
  for (int quarter = -8; quarter <= 8; ++quarter) {
    const Direction d = direction(quarter * kPi / 2);
    EXPECT_EQ(std::abs(d.cosine) + std::abs(d.sine), 1) << quarter;
  }
}

TEST(PaperGeometry, HasThePapersNumbers) {
  const Geometry g = paper_geometry(250, 25);
  EXPECT_EQ(g.beamlets, 354);
  EXPECT_EQ(g.pixels(), 62500u);
  EXPECT_EQ(g.rays(), 25u * 354u);
  EXPECT_DOUBLE_EQ(g.angles[1], kPi / 25);
}

struct Bad {
  const char* field;
  void (*spoil)(Geometry&);
};

class BadGeometry : public testing::TestWithParam<Bad> {};

TEST_P(BadGeometry, IsRefusedByName) {
  Geometry g = paper_geometry(8, 3);
  GetParam().spoil(g);
  try {
    make_projector(g);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::kUsage);
    EXPECT_NE(std::string(e.what()).find(GetParam().field), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("expected"), std::string::npos) << e.what();
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Fields, BadGeometry,
    testing::Values(Bad{"image_rows", [](Geometry& g) { g.image_rows = -4; }},
                    Bad{"image_columns", [](Geometry& g) { g.image_columns = 0; }},
                    Bad{"pixel_size", [](Geometry& g) { g.pixel_size = kNan; }},
                    Bad{"beamlets", [](Geometry& g) { g.beamlets = 0; }},
                    Bad{"spacing", [](Geometry& g) { g.spacing = -1; }},
                    Bad{"spacing", [](Geometry& g) { g.spacing = 1.1e4 * g.pixel_size; }},
                    Bad{"spacing", [](Geometry& g) { g.spacing = g.pixel_size / 1.1e4; }},
                    Bad{"spacing", [](Geometry& g) { g.spacing = 1e9 * g.pixel_size; }},
                    Bad{"spacing", [](Geometry& g) { g.pixel_size = 1e300, g.spacing = 1e-300; }},
                    Bad{"spacing", [](Geometry& g) { g.pixel_size = 1e-300, g.spacing = 1e300; }},
                    Bad{"rotation_axis", [](Geometry& g) { g.rotation_axis = 1 / 0.0; }},
                    Bad{"angles", [](Geometry& g) { g.angles.clear(); }},
                    Bad{"angles[1]", [](Geometry& g) { g.angles[1] = kNan; }},
                    Bad{"shifts", [](Geometry& g) { g.shifts = {1}; }},
                    Bad{"shifts[2]", [](Geometry& g) {
                          g.shifts = {0, 0, kNan};
                        }}));

TEST(Geometry, NamesSpacingAndPixelSizeThatAreFarApart) {
  Geometry g = paper_geometry(8, 3, 0.5);
  g.spacing = 6000;
  try {
    g.validate();
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "geometry: spacing: expected at most 10000 times as wide as a pixel of 0.5 cm, and "
        "at least 1/10000, found 6000 cm");
  }
  g.spacing = 5000;
  EXPECT_NO_THROW(g.validate());
  g.spacing = 0.5e-4;
  EXPECT_NO_THROW(g.validate());
}

}  // namespace
}  // namespace firm
