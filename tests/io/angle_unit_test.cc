// Units of angles, and the number of angles against the order of axes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/files/angle_file.h"
#include "io/formats/data_exchange.h"
#include "io/inspect/inspect.h"
#include "support/scan_files.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

std::vector<double> even(std::size_t count, double step) {
  std::vector<double> angles;
  for (std::size_t k = 0; k < count; ++k) angles.push_back(static_cast<double>(k) * step);
  return angles;
}

TEST(LookLikeRadians, TellsRadiansFromSmallAngles) {
  constexpr double kPi = std::numbers::pi;
  EXPECT_TRUE(look_like_radians(even(25, kPi / 25)));
  EXPECT_TRUE(look_like_radians(even(181, 2 * kPi / 180)));
  EXPECT_TRUE(look_like_radians({-1.5, -0.71, 0.02, 0.83, 1.44}));
  EXPECT_TRUE(look_like_radians({3.13, 0.01, 1.07, 2.12}));

  EXPECT_FALSE(look_like_radians(even(25, 7.2)));
  EXPECT_FALSE(look_like_radians(even(7, 1)));
  EXPECT_FALSE(look_like_radians(even(25, 0.25)));
  EXPECT_FALSE(look_like_radians(even(11, 0.1)));
  EXPECT_FALSE(look_like_radians({0, kPi / 2}));
  EXPECT_FALSE(look_like_radians({0.011, 0.022, 0.033, 0.044, 0.052}));
  EXPECT_FALSE(look_like_radians({0.01, 1.02, NAN, 2.03, 3.04}));
  EXPECT_FALSE(look_like_radians({}));
}

class AngleUnit : public ::testing::Test {
 protected:
  AngleUnit() {
    write_npy(directory_ / "a.npy", {4, 2, 3}, std::vector<float>(24, 1));
    write_bytes(directory_ / "rad.txt", "0\n0.785\n1.571\n2.356\n");
  }

  Scan open(const std::string& angles, const std::string& unit) {
    ScanRequest request;
    request.angles = directory_ / angles;
    request.angle_unit = unit;
    return open_scan(directory_ / "a.npy", request);
  }

  TemporaryDirectory directory_;
};

TEST_F(AngleUnit, ReplacesUnitOfTextFile) {
  EXPECT_NEAR(open("rad.txt", "rad").theta[2], 90, 0.1);
  EXPECT_EQ(open("rad.txt", "deg").theta[2], 1.571);
  write_bytes(directory_ / "marked.txt", "# units: rad\n0\n0.785\n1.571\n2.356\n");
  EXPECT_NEAR(open("marked.txt", "").theta[2], 90, 0.1);
  EXPECT_EQ(open("marked.txt", "deg").theta[2], 1.571);
}

TEST_F(AngleUnit, WarnsWithFixForTheSource) {
  write_bytes(directory_ / "rad.txt", "0.02\n0.785\n1.571\n2.356\n");
  const std::string text = open("rad.txt", "").theta_warning;
  EXPECT_CONTAINS(text, "4 angles from 0.02 to 2.356");
  EXPECT_CONTAINS(text, "angle_unit = \"rad\"");
  EXPECT_CONTAINS(text, "rad.txt with the line # units: rad");
  EXPECT_EQ(open("rad.txt", "rad").theta_warning, "");
  EXPECT_EQ(open("rad.txt", "deg").theta_warning, "");

  write_npy(directory_ / "rad.npy", {4}, {0.02f, 0.785f, 1.571f, 2.356f});
  const std::string array = open("rad.npy", "").theta_warning;
  EXPECT_CONTAINS(array, "angle_unit = \"rad\"");
  EXPECT_EQ(array.find("# units"), std::string::npos);
  write_angles(directory_ / "deg.txt");
  EXPECT_EQ(open("deg.txt", "").theta_warning, "");
}

TEST_F(AngleUnit, WarnsAboutDatasetOfHdf5) {
  Acquisition a;
  a.units = "counts";
  a.theta = even(5, std::numbers::pi / 5);
  a.beamlets = 3;
  a.data = Block(15, 1);
  write_acquisition(directory_ / "a.h5", a);
  const Inspection r = inspect_file(directory_ / "a.h5");
  ASSERT_FALSE(r.warnings.empty());
  EXPECT_CONTAINS(r.warnings.front(), "the attribute units = \"rad\" of /exchange/theta");
  ScanRequest request;
  request.angle_unit = "rad";
  const Scan scan = open_scan(directory_ / "a.h5", request);
  EXPECT_EQ(scan.theta_warning, "");
  EXPECT_NEAR(scan.theta[4], 144, 1e-9);
}

// ---- order of axes

class SwappedAxes : public AngleUnit {
 protected:
  std::string error(const std::string& file, const std::string& axes = "") {
    ScanRequest request;
    request.angles = write_angles(directory_ / "angles.txt");
    request.axes = axes;
    return error_of([&] { open_scan(directory_ / file, request); });
  }
};

TEST_F(SwappedAxes, ErrorSuggestsTheOrderThatFits) {
  write_npy(directory_ / "b.npy", {2, 4, 3}, std::vector<float>(24, 1));
  EXPECT_CONTAINS(error("b.npy"),
                  "expected 2 angles, one per frame of array, found 4; the shape "
                  "(2, 4, 3) fits axes = \"y:theta:x\" in the study");
  write_npy(directory_ / "b.npy", {2, 3, 4}, std::vector<float>(24, 1));
  EXPECT_CONTAINS(error("b.npy"), "axes = \"y:x:theta\"");
  write_npy(directory_ / "b.npy", {3, 4}, std::vector<float>(12, 1));
  EXPECT_CONTAINS(error("b.npy"), "axes = \"x:theta\"");
  write_npy(directory_ / "b.npy", {4, 2, 3}, std::vector<float>(24, 1));
  EXPECT_CONTAINS(error("b.npy", "y:theta:x"), "axes = \"theta:y:x\"");
  write_npy(directory_ / "b.npy", {2, 5, 3}, std::vector<float>(30, 1));
  EXPECT_EQ(error("b.npy").find("axes ="), std::string::npos);
}

TEST_F(SwappedAxes, ErrorKnowsPagesAndAttributes) {
  {
    TiffWriter<float> writer(directory_ / "b.tif", {.format = SAMPLEFORMAT_IEEEFP});
    writer.page(4, 3, std::vector<float>(12, 1));
  }
  EXPECT_CONTAINS(error("b.tif"), "axes = \"y:theta:x\" in the study");
  Acquisition a;
  a.units = "counts";
  a.theta = even(4, 45);
  a.beamlets = 3;
  a.data = Block(12, 5);
  write_acquisition(directory_ / "b.h5", a);
  ScanRequest request;
  request.angles = directory_ / "five.txt";
  write_bytes(request.angles, "0\n30\n60\n90\n120\n");
  EXPECT_CONTAINS(error_of([&] { open_scan(directory_ / "b.h5", request); }),
                  "the attribute axes = \"y:theta:x\" of the dataset");
}

}  // namespace
}  // namespace firm
