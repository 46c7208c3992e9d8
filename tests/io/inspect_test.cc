#include "io/inspect/inspect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/formats/data_exchange.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

Acquisition example(std::size_t angles, std::size_t slices, int beamlets) {
  Acquisition a;
  a.title = "an example";
  a.units = "counts";
  for (std::size_t k = 0; k < angles; ++k) a.theta.push_back(static_cast<double>(k));
  a.beamlets = beamlets;
  a.spacing = 1e-4;
  a.rotation_axis = 1.5;
  a.data = Block(angles * static_cast<std::size_t>(beamlets), slices);
  for (float& value : a.data.values()) value = 2;
  return a;
}

TEST(Inspect, CountsBadValues) {
  const TemporaryDirectory directory;
  Acquisition a = example(5, 2, 4);
  a.data(0, 0) = std::numeric_limits<float>::quiet_NaN();
  a.data(1, 0) = std::numeric_limits<float>::infinity();
  a.data(2, 0) = -std::numeric_limits<float>::infinity();
  a.data(3, 0) = 0;
  a.data(4, 1) = -6;
  a.data(5, 1) = 10;
  a.white = Block(4, 2);
  write_acquisition(directory / "a.h5", a);
  const Inspection r = inspect_file(directory / "a.h5");
  ASSERT_EQ(r.fields.size(), 2u);
  const ValueStatistics& v = r.fields[0].values;
  EXPECT_EQ(v.count, 40u);
  EXPECT_EQ(v.nan, 1u);
  EXPECT_EQ(v.infinite, 2u);
  EXPECT_EQ(v.zero, 1u);
  EXPECT_EQ(v.negative, 1u);
  EXPECT_EQ(v.min, -6);
  EXPECT_EQ(v.max, 10);
  EXPECT_DOUBLE_EQ(v.mean, (34 * 2 + 0 - 6 + 10) / 37.0);
  EXPECT_EQ(r.fields[1].path, "/exchange/data_white");
  EXPECT_EQ(r.fields[1].values.zero, 8u);
}

TEST(Inspect, ReportsShapesAndMemory) {
  const TemporaryDirectory directory;
  write_acquisition(directory / "a.h5", example(5, 3, 4));
  const Inspection r = inspect_file(directory / "a.h5");
  EXPECT_EQ(r.fields[0].shape, (h5::Shape{5, 3, 4}));
  EXPECT_EQ(r.fields[0].type, "float32");
  EXPECT_EQ(r.slices, 3u);
  EXPECT_EQ(r.beamlets, 4u);
  EXPECT_EQ(r.spacing, 1e-4);
  EXPECT_EQ(r.rotation_axis, 1.5);
}

TEST(Inspect, ReadsInPieces) {
  const TemporaryDirectory directory;
  // 48 MB: more than one piece.
  write_acquisition(directory / "a.h5", example(3, 1000, 4000));
  std::vector<double> steps;
  const Inspection r =
      inspect_file(directory / "a.h5", {}, [&](const std::string& stage, double part) {
        EXPECT_EQ(stage, "reading /exchange/data");
        steps.push_back(part);
      });
  EXPECT_GT(steps.size(), 1u);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  EXPECT_EQ(steps.back(), 1);
  EXPECT_EQ(r.fields[0].values.count, 12000000u);
  EXPECT_EQ(r.fields[0].values.mean, 2);
}

TEST(InspectAngles, ReportsOrderAndSteps) {
  const AngleReport uniform = inspect_angles({0, 7.2, 14.4, 21.6});
  EXPECT_EQ(uniform.order, "ascending");
  EXPECT_TRUE(uniform.uniform);
  EXPECT_NEAR(uniform.max_step, 7.2, 1e-12);
  EXPECT_EQ(uniform.max, 21.6);

  const AngleReport backwards = inspect_angles({3, 2, 1});
  EXPECT_EQ(backwards.order, "descending");
  EXPECT_TRUE(backwards.uniform);

  const AngleReport shuffled = inspect_angles({0, 90, 45, 135});
  EXPECT_EQ(shuffled.order, "unsorted");
  EXPECT_TRUE(shuffled.uniform);

  const AngleReport uneven = inspect_angles({0, 1, 3});
  EXPECT_FALSE(uneven.uniform);
  EXPECT_EQ(uneven.min_step, 1);
  EXPECT_EQ(uneven.max_step, 2);

  EXPECT_FALSE(inspect_angles({0, 0, 0}).uniform);
}

TEST(InspectAngles, CountsAnglesThatAreNotFinite) {
  const AngleReport r = inspect_angles({NAN, 10, INFINITY, 20});
  EXPECT_EQ(r.count, 4u);
  EXPECT_EQ(r.not_finite, 2u);
  EXPECT_EQ(r.min, 10);
  EXPECT_EQ(r.max, 20);
  EXPECT_EQ(inspect_angles({}).count, 0u);
  EXPECT_EQ(inspect_angles({NAN}).not_finite, 1u);
  EXPECT_EQ(inspect_angles({5}).max, 5);
}

}  // namespace
}  // namespace firm
