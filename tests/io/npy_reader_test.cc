// Reads NumPy arrays and files of angles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "firm/error.h"
#include "io/files/angle_file.h"
#include "io/hdf5/hdf5.h"
#include "support/scan_files.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class Npy : public ::testing::Test {
 protected:
  Npy() : angles_(write_angles(directory_ / "angles.txt")) {}

  std::string write(const std::string& bytes) {
    write_bytes(directory_ / "a.npy", bytes);
    return directory_ / "a.npy";
  }
  Scan open(const std::string& bytes, const std::string& axes = "") {
    return open_scan(write(bytes), {"", false, angles_, axes});
  }
  std::string refusal(const std::string& bytes, const std::string& axes = "") {
    return error_of([&] { open(bytes, axes); });
  }

  template <typename T>
  void expect_type(const std::string& type, const std::string& name) {
    for (const bool big : {false, true}) {
      std::string values;
      for (std::size_t k = 0; k < kAngles * kSlices * kBeamlets; ++k) {
        values += bytes_of(static_cast<T>(k), big);
      }
      const Scan scan = open(npy(1, npy_header((big ? ">" : "<") + type, "(4, 2, 3)"), values));
      EXPECT_EQ(scan.data->facts().type, name);
      expect_counted(*scan.data);
    }
  }

  TemporaryDirectory directory_;
  std::string angles_;
};

// Values 0, 1, 2, ... as float32.
std::string floats(std::size_t count) {
  std::string values;
  for (std::size_t k = 0; k < count; ++k) values += bytes_of(static_cast<float>(k));
  return values;
}

TEST_F(Npy, ReadsEveryType) {
  expect_type<std::uint8_t>("u1", "uint8");
  expect_type<std::int8_t>("i1", "int8");
  expect_type<std::uint16_t>("u2", "uint16");
  expect_type<std::int16_t>("i2", "int16");
  expect_type<std::uint32_t>("u4", "uint32");
  expect_type<std::int32_t>("i4", "int32");
  expect_type<std::uint64_t>("u8", "uint64");
  expect_type<std::int64_t>("i8", "int64");
  expect_type<float>("f4", "float32");
  expect_type<double>("f8", "float64");
}

TEST_F(Npy, ReadsEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const Scan scan = open(npy(version, npy_header("<f4", "(4, 2, 3)"), floats(24)));
    EXPECT_EQ(scan.format, "NumPy (.npy)");
    EXPECT_EQ(scan.theta, (std::vector<double>{0, 45, 90, 135}));
    EXPECT_EQ(scan.theta_source, angles_);
    EXPECT_EQ(scan.data->facts().axes, "theta:y:x");
    expect_counted(*scan.data);
  }
  EXPECT_CONTAINS(refusal(npy(4, npy_header("<f4", "(4, 2, 3)"), floats(24))), "version 4");
}

// The scan with its axes in another order; `order`: positions of theta, y and x in the file.
std::string permuted(const std::array<std::size_t, 3>& order, bool fortran) {
  const std::array<std::size_t, 3> sizes = {kAngles, kSlices, kBeamlets};
  std::array<std::size_t, 3> shape{};
  for (std::size_t axis = 0; axis < 3; ++axis) shape[order[axis]] = sizes[axis];
  std::string values;
  for (std::size_t k = 0; k < kAngles * kSlices * kBeamlets; ++k) {
    std::array<std::size_t, 3> at{};
    std::size_t rest = k;
    for (std::size_t n = 0; n < 3; ++n) {
      const std::size_t axis = fortran ? n : 2 - n;  // the fastest axis first
      at[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    values += bytes_of(static_cast<float>(counted(at[order[0]], at[order[1]], at[order[2]])));
  }
  std::string text = numbered("(", shape[0], ", ");
  text += numbered("", shape[1], ", ");
  text += numbered("", shape[2], ")");
  return npy(1, npy_header("<f4", text, fortran), values);
}

TEST_F(Npy, ReadsEveryOrderOfAxes) {
  const std::array<const char*, 3> names = {"theta", "y", "x"};
  std::array<std::size_t, 3> order = {0, 1, 2};
  do {
    std::array<std::string, 3> at;
    for (std::size_t axis = 0; axis < 3; ++axis) at[order[axis]] = names[axis];
    const std::string axes = at[0] + ":" + at[1] + ":" + at[2];
    for (const bool fortran : {false, true}) {
      const Scan scan = open(permuted(order, fortran), axes);
      EXPECT_EQ(scan.data->facts().axes, axes);
      EXPECT_EQ(scan.data->facts().chunk, 1u);  // any number of frames may be read at once
      expect_counted(*scan.data);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Npy, ReadsTwoDimensionsAsOneSlice) {
  const Scan scan = open(npy(1, npy_header("<f4", "(4, 3)"), floats(12)));
  EXPECT_EQ(scan.data->facts().axes, "theta:x");
  EXPECT_EQ(scan.data->slices(), 1u);
  EXPECT_EQ(scan.data->read({1, 1, 0, 1}), (std::vector<float>{3, 4, 5}));
  const Scan turned = open(npy(1, npy_header("<f4", "(3, 4)"), floats(12)), "x:theta");
  EXPECT_EQ(turned.data->read({1, 1, 0, 1}), (std::vector<float>{1, 5, 9}));
}

TEST_F(Npy, RefusesOtherArrays) {
  const std::string values = floats(24);
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<c8", "(4, 2, 3)"), values)),
                  "descr: expected integers, or floats of 4 or 8 bytes, found <c8");
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f2", "(4, 2, 3)"), values)), "found <f2");
  EXPECT_CONTAINS(refusal(npy(1, npy_header("|b1", "(4, 2, 3)"), values)), "found |b1");
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f4", "(24,)"), values)), "(24)");
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f4", "(4, 0, 3)"), values)), "(4, 0, 3)");
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f4", "(4, 2, 4)"), values)),
                  "expected as many values as (4, 2, 4) of float32 has, found 96 bytes");
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f8", "(9223372036854775807, 9, 9)"), values)),
                  "found 96 bytes");
  EXPECT_CONTAINS(refusal(npy(1, "{'descr': [('a', '<f4')], 'shape': (24,)}", values)), "header");
  EXPECT_CONTAINS(refusal(std::string("\x93NUMPY\1\0\xff\xff", 10)), "header");
}

TEST_F(Npy, RefusesInvalidAxes) {
  const std::string array = npy(1, npy_header("<f4", "(4, 2, 3)"), floats(24));
  for (const std::string axes : {"theta:y", "theta:theta:x", "a:b:c", "theta:y:x:", ":"}) {
    const std::string text = refusal(array, axes);
    EXPECT_CONTAINS(text, "axes: expected an order of theta, y and x");
    EXPECT_CONTAINS(text, "found " + axes);
  }
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f4", "(4, 3)"), floats(12)), "theta:y:x"),
                  "expected theta:x or x:theta");
}

TEST_F(Npy, NeedsAngles) {
  const std::string file = write(npy(1, npy_header("<f4", "(5, 2, 3)"), floats(30)));
  EXPECT_CONTAINS(error_of([&] { open_scan(file); }),
                  "a.npy: angles: expected a file with 5 angles, one per frame of (5, 2, 3) "
                  "theta:y:x float32 (angles = \"...\" in the study, --angles), found none");
  EXPECT_CONTAINS(error_of([&] {
                    open_scan(file, {"", false, angles_, ""});
                  }),
                  "angles.txt: expected 5 angles");
}

// ---- files of angles

class Angles : public ::testing::Test {
 protected:
  std::vector<double> read(const std::string& bytes) {
    write_bytes(directory_ / "angles", bytes);
    return read_angles(directory_ / "angles");
  }
  std::string refusal(const std::string& bytes) {
    return error_of([&] { read(bytes); });
  }

  TemporaryDirectory directory_;
};

TEST_F(Angles, ReadsOnePerLine) {
  EXPECT_EQ(read("0\n45.5\n  -90 \t\r\n\n+1e2"), (std::vector<double>{0, 45.5, -90, 100}));
  EXPECT_EQ(read("# a comment\n# another\n1 # one\n#\n2"), (std::vector<double>{1, 2}));
  EXPECT_EQ(read("# units: deg\n7\n"), std::vector<double>{7});
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "7\r\n8\r\n"),
            (std::vector<double>{7, 8}));  // with a byte order mark
}

TEST_F(Angles, ReadsRadians) {
  const std::vector<double> angles = read("# of the stage\n# units: rad\n0\n1\n");
  ASSERT_EQ(angles.size(), 2u);
  EXPECT_DOUBLE_EQ(angles[1], 180 / std::numbers::pi);
  EXPECT_CONTAINS(refusal("# units: turns\n1\n"),
                  "angles:1: units: expected deg or rad, found turns");
}

TEST_F(Angles, ReadsAnArray) {
  const std::string values = bytes_of(1.5) + bytes_of(-2.0);
  EXPECT_EQ(read(npy(1, npy_header("<f8", "(2,)"), values)), (std::vector<double>{1.5, -2}));
  const std::string big = bytes_of(std::int16_t{300}, true);
  EXPECT_EQ(read(npy(2, npy_header(">i2", "(1,)"), big)), std::vector<double>{300});
  EXPECT_CONTAINS(refusal(npy(1, npy_header("<f8", "(2, 1)"), values)), "one dimension");
}

TEST_F(Angles, RefusesEverythingElse) {
  EXPECT_CONTAINS(refusal("1\n2\nthree\n"),
                  "angles:3: expected one angle in degrees, found \"three\"");
  EXPECT_CONTAINS(refusal("1, 2\n"), "angles:1: expected one angle");
  EXPECT_CONTAINS(refusal("# nothing\n"), "expected one angle in degrees per line, found none");
  EXPECT_CONTAINS(refusal(""), "found none");
  EXPECT_CONTAINS(refusal(std::string("II*\0", 4)), "found a TIFF");
  EXPECT_CONTAINS(error_of([&] { read_angles(directory_ / "none"); }), "No such file");
  EXPECT_CONTAINS(error_of([&] { read_angles(directory_.path()); }), "a directory");
}

}  // namespace
}  // namespace firm
