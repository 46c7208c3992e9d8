// I0 that a study names: a dataset of the data file, or a separate file.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "firm/error.h"
#include "io/hdf5/hdf5.h"
#include "io/inspect/inspect.h"
#include "support/prepare_site.h"
#include "support/scan_files.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class Monitor : public ::testing::Test {
 protected:
  Monitor() {
    file_.rows = file_.columns = 4;
    file_.slices = kSlices;
    file_.pixel_size = 1e-4;
    entry_.name = "one";
    entry_.data = "a.h5";
    entry_.kind = "xrf";
    entry_.prepare.scale = 1;
  }

  static void put(h5::Writer& writer, const std::string& path, const h5::Shape& shape,
                  float first) {
    std::vector<float> values(h5::element_count(shape));
    std::iota(values.begin(), values.end(), first);
    writer.dataset(path, shape, std::span<const float>(values));
  }
  static void put_theta(h5::Writer& writer, const std::string& path, std::size_t count) {
    std::vector<double> theta(count);
    std::iota(theta.begin(), theta.end(), 0.0);
    writer.dataset(path, {count}, std::span<const double>(theta));
  }

  // Data Exchange with a dataset /i0 that counts from 100.
  std::string data_exchange(const h5::Shape& monitor = {}) {
    h5::Writer writer(directory_ / "a.h5");
    put(writer, "/exchange/data", {kAngles, kSlices, kBeamlets}, 1);
    put_theta(writer, "/exchange/theta", kAngles);
    if (!monitor.empty()) put(writer, "/i0", monitor, 100);
    writer.commit();
    return directory_ / "a.h5";
  }
  // Writes a monitor file.
  std::string file(const std::string& bytes) {
    write_bytes(directory_ / "i0", bytes);
    return directory_ / "i0";
  }
  static std::string counted_from_100(std::size_t count) {
    std::string bytes;
    for (std::size_t k = 0; k < count; ++k) bytes += bytes_of(100.0 + static_cast<double>(k));
    return bytes;
  }

  // Monitor at angle 2, slice 1, beamlet 1.
  static float value(const std::string& path, const ScanRequest& request) {
    return read_block(*open_scan(path, request).monitor)(2 * kBeamlets + 1, 1);
  }
  std::string refusal(const ScanRequest& request) {
    return error_of([&] { open_scan(directory_ / "a.h5", request); });
  }
  PreparedSite prepare() { return prepare_all_slices(file_, entry_, directory_ / "study.toml"); }

  TemporaryDirectory directory_;
  StudyFile file_;
  SiteEntry entry_;
};

TEST_F(Monitor, ReadsADatasetOfTheDataFile) {
  const ScanRequest request{.monitor = "/i0"};
  EXPECT_EQ(value(data_exchange({kAngles}), request), 102.0f);
  EXPECT_EQ(value(data_exchange({kAngles, kSlices}), request), 105.0f);
  EXPECT_EQ(value(data_exchange({kAngles, kSlices, kBeamlets}), request), 116.0f);
  data_exchange({kAngles + 1});
  EXPECT_CONTAINS(refusal(request),
                  "/i0: expected the shape (4, 2, 3) of /exchange/data, or its first axes alone, "
                  "found (5)");
  data_exchange();
  EXPECT_CONTAINS(refusal(request), "/i0: expected a dataset, found nothing of that name");
}

TEST_F(Monitor, AcceptsAllFramesOfNxTomo) {
  const auto write = [&](std::size_t monitors) {
    h5::Writer writer(directory_ / "n.nxs");
    put(writer, "/entry/instrument/detector/data", {6, kSlices, kBeamlets}, 0);
    const std::vector<double> keys = {1, 0, 0, 2, 0, 0};
    writer.dataset("/entry/instrument/detector/image_key", {6}, std::span<const double>(keys));
    put_theta(writer, "/entry/sample/rotation_angle", 6);
    put(writer, "/entry/control/data", {monitors}, 100);
    writer.commit();
    return directory_ / "n.nxs";
  };
  const ScanRequest request{.monitor = "/entry/control/data"};
  EXPECT_EQ(value(write(kAngles), request), 102.0f);
  EXPECT_EQ(value(write(6), request), 104.0f);  // the frame of angle 2
}

TEST_F(Monitor, ReadsASeparateFile) {
  const std::string path = data_exchange();
  EXPECT_EQ(value(path, {.monitor_file = file("100\n101\n102 # here\n103\n")}), 102.0f);
  const auto array = [&](const std::string& shape, std::size_t count, bool fortran = false) {
    const std::string bytes = npy(1, npy_header("<f8", shape, fortran), counted_from_100(count));
    return value(path, {.monitor_file = file(bytes)});
  };
  EXPECT_EQ(array("(4,)", 4), 102.0f);
  EXPECT_EQ(array("(4, 2)", 8), 105.0f);
  EXPECT_EQ(array("(4, 2)", 8, true), 106.0f);
  EXPECT_EQ(array("(4, 2, 3)", 24), 116.0f);
}

TEST_F(Monitor, RefusesOtherSizes) {
  data_exchange();
  EXPECT_CONTAINS(refusal({.monitor_file = file("1\n2\n3\n")}),
                  "i0: expected 4 values, one per frame of /exchange/data, found 3");
  EXPECT_CONTAINS(refusal({.monitor_file = file("1\nx\n")}),
                  "i0:2: expected one value of the monitor, found \"x\"");
  EXPECT_CONTAINS(
      refusal({.monitor_file = file(npy(1, npy_header("<f8", "(2, 4)"), counted_from_100(8)))}),
      "i0: shape: expected the shape (4, 2, 3) of /exchange/data, or its first axes alone, "
      "found (2, 4)");
  EXPECT_CONTAINS(refusal({.monitor_file = directory_ / "none"}), "No such file");
  // Only an HDF5 file has datasets.
  write_bytes(directory_ / "b.npy", npy(1, npy_header("<f8", "(4, 2, 3)"), counted_from_100(24)));
  const ScanRequest request{.angles = write_angles(directory_ / "angles.txt"), .monitor = "/i0"};
  EXPECT_CONTAINS(error_of([&] { open_scan(directory_ / "b.npy", request); }),
                  "/i0: expected one HDF5 file with this dataset");
}

TEST_F(Monitor, NormalizesFluorescence) {
  data_exchange();
  const auto monitor = [](std::size_t angle) { return angle < 2 ? 1000.0f : 700.0f; };
  file("1000\n1000\n700\n700\n");
  const Block without = prepare().data.values;
  entry_.monitor = "i0";
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.normalized, "monitor");
  for (std::size_t row = 0; row < without.rows(); ++row) {
    EXPECT_FLOAT_EQ(p.data.values(row, 1), without(row, 1) * 850 / monitor(row / kBeamlets));
  }
}

// Values are relative to the mean of all slices of the study, whichever are prepared.
TEST_F(Monitor, GivesSlicesTheSameValuesInAnyRange) {
  data_exchange({kAngles, kSlices});
  entry_.monitor = "/i0";
  file_.sites = {entry_};
  StudyData data(file_, directory_ / "study.toml");
  const Block all = data.prepare(entry_.name, {0, kSlices}).data.values;
  for (std::size_t z = 0; z < kSlices; ++z) {
    const Block one = data.prepare(entry_.name, {z, 1}).data.values;
    for (std::size_t row = 0; row < all.rows(); ++row) EXPECT_EQ(one(row, 0), all(row, z));
  }
}

TEST_F(Monitor, NormalizesTransmission) {
  data_exchange({kAngles, kSlices});
  entry_.kind = "xrt";
  entry_.prepare = {};
  entry_.monitor = "/i0";
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "\"1\", because minus_log = false");
  entry_.prepare.minus_log = true;
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.normalized, "monitor");
  // At angle 2, slice 1, beamlet 1 the value is 17, and the monitor 105.
  EXPECT_NEAR(p.data.values(2 * kBeamlets + 1, 1), -std::log(17.0 / 105), 1e-6);
}

TEST_F(Monitor, WarnsWhenItIsNotUsed) {
  entry_.kind = "xrt";
  entry_.prepare = {};
  entry_.prepare.minus_log = true;
  entry_.monitor = "/i0";
  {
    h5::Writer writer(directory_ / "a.h5");
    put(writer, "/exchange/data", {kAngles, kSlices, kBeamlets}, 1);
    put(writer, "/exchange/data_white", {1, kSlices, kBeamlets}, 100);
    put_theta(writer, "/exchange/theta", kAngles);
    put(writer, "/i0", {kAngles}, 100);
    writer.commit();
  }
  EXPECT_CONTAINS(prepare().report.warnings.at(0), "the monitor is not used");
  entry_.prepare.normalize = "monitor";
  EXPECT_EQ(prepare().report.normalized, "monitor");
}

TEST_F(Monitor, IsInspected) {
  const std::string path = data_exchange({kAngles});
  const Inspection r = inspect_file(path, {.monitor = "/i0"});
  ASSERT_EQ(r.fields.size(), 2u);
  EXPECT_EQ(r.fields[1].path, "/i0");
  EXPECT_EQ(r.jumps.level, "mean of the monitor in a frame");
  EXPECT_CONTAINS(r.study, "monitor = \"/i0\"");
}

}  // namespace
}  // namespace firm
