// Reads files of every format of scans.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>

#include "firm/error.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"
#include "io/inspect/inspect.h"
#include "support/prepare_site.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr std::size_t kAngles = 4;
constexpr std::size_t kSlices = 2;
constexpr std::size_t kBeamlets = 3;

class ScanFormats : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::function<void(h5::Writer&)>& content) {
    h5::Writer writer(directory_ / name);
    content(writer);
    writer.commit();
    return directory_ / name;
  }

  // 0, 1, 2, ... in the order of the file.
  static void put_numbers(h5::Writer& writer, const std::string& path, const h5::Shape& shape,
                          float first = 0) {
    std::vector<float> values(h5::element_count(shape));
    std::iota(values.begin(), values.end(), first);
    writer.dataset(path, shape, std::span<const float>(values));
  }
  static void put_angles(h5::Writer& writer, const std::string& path,
                         const std::vector<double>& angles) {
    writer.dataset(path, {angles.size()}, std::span<const double>(angles));
  }

  std::string angle_file(const std::string& text) {
    std::ofstream(directory_ / "angles.txt") << text;
    return directory_ / "angles.txt";
  }

  TemporaryDirectory directory_;
};

// ---- XRFtomo

class XrfTomo : public ScanFormats {
 protected:
  std::string file(std::size_t elements = 3) {
    return write("x.h5", [&](h5::Writer& w) {
      put_numbers(w, "/data", {elements, kAngles, kSlices, kBeamlets});
      w.texts("/elements", {"Ca", "Fe", "Zn"});
      put_angles(w, "/thetas", {0, 45, 90, 135});
    });
  }
};

TEST_F(XrfTomo, ReadsOneScanPerElement) {
  const std::string path = file();
  const Scan scan = open_scan(path, {"Fe", false});
  EXPECT_EQ(scan.format, "XRFtomo (HDF5)");
  EXPECT_EQ(scan.elements, (std::vector<std::string>{"Ca", "Fe", "Zn"}));
  EXPECT_EQ(scan.element, "Fe");
  EXPECT_EQ(scan.theta, (std::vector<double>{0, 45, 90, 135}));
  EXPECT_EQ(scan.data->frames(), kAngles);
  EXPECT_EQ(scan.data->slices(), kSlices);
  EXPECT_EQ(scan.data->beamlets(), kBeamlets);
  const Block b = read_block(*scan.data);
  for (std::size_t a = 0; a < kAngles; ++a) {
    for (std::size_t y = 0; y < kSlices; ++y) {
      for (std::size_t x = 0; x < kBeamlets; ++x) {
        const std::size_t k = ((1 * kAngles + a) * kSlices + y) * kBeamlets + x;
        EXPECT_EQ(b(a * kBeamlets + x, y), static_cast<float>(k));
      }
    }
  }
  EXPECT_EQ(read_block(*scan.data, 1, 1)(2, 0), b(2, 1));
}

TEST_F(XrfTomo, NeedsAnExistingElement) {
  const std::string path = file();
  EXPECT_CONTAINS(error_of([&] { open_scan(path); }), "several: Ca, Fe, Zn");
  EXPECT_CONTAINS(error_of([&] {
                    open_scan(path, {"Au", false});
                  }),
                  "expected the element Au, found Ca, Fe, Zn");
  EXPECT_CONTAINS(error_of([&] {
                    open_scan(path, {"fe", false});
                  }),
                  "expected the element fe, found Ca, Fe, Zn (did you mean Fe?)");
  EXPECT_EQ(inspect_file(path).element, "Ca");
}

TEST_F(XrfTomo, NeedsANamePerMap) {
  const std::string path = file(2);
  EXPECT_CONTAINS(error_of([&] { open_scan(path, {"Fe", false}); }), "expected 2 names");
}

// ---- NXtomo

class NxTomo : public ScanFormats {
 protected:
  // Two flats, a dark, three projections, an invalid frame, a projection.
  std::string file(const std::string& entry, std::size_t angles = 8) {
    return write("n.nxs", [&](h5::Writer& w) {
      put_numbers(w, entry + "/instrument/detector/data", {8, kSlices, kBeamlets});
      const std::vector<double> keys = {1, 1, 2, 0, 0, 0, 3, 0};
      put_angles(w, entry + "/instrument/detector/image_key", keys);
      std::vector<double> theta(angles);
      std::iota(theta.begin(), theta.end(), 10.0);
      put_angles(w, entry + "/sample/rotation_angle", theta);
    });
  }
};

TEST_F(NxTomo, SeparatesFramesByTheirKey) {
  for (const std::string entry : {"/entry", "/entry1/tomo_entry"}) {
    const Scan scan = open_scan(file(entry));
    EXPECT_EQ(scan.format, "NeXus NXtomo (HDF5)");
    EXPECT_EQ(scan.theta, (std::vector<double>{13, 14, 15, 17}));
    ASSERT_TRUE(scan.white && scan.dark);
    EXPECT_EQ(scan.white->frames(), 2u);
    EXPECT_EQ(scan.dark->frames(), 1u);
    const auto value = [](std::size_t frame, std::size_t y, std::size_t x) {
      return static_cast<float>((frame * kSlices + y) * kBeamlets + x);
    };
    const Block data = read_block(*scan.data);
    EXPECT_EQ(data(0 * kBeamlets + 1, 1), value(3, 1, 1));
    EXPECT_EQ(data(3 * kBeamlets + 2, 0), value(7, 0, 2));
    EXPECT_EQ(read_block(*scan.dark)(0, 1), value(2, 1, 0));
    // One slice, across the invalid frame.
    EXPECT_EQ(scan.data->read({2, 2, 1, 1}),
              (std::vector<float>{value(5, 1, 0), value(5, 1, 1), value(5, 1, 2), value(7, 1, 0),
                                  value(7, 1, 1), value(7, 1, 2)}));
  }
}

TEST_F(NxTomo, NeedsAnAnglePerFrame) {
  const std::string path = file("/entry", 5);
  EXPECT_CONTAINS(error_of([&] { open_scan(path); }),
                  "/entry/sample/rotation_angle: expected 8 angles, one per frame, found 5");
  const ScanRequest others{.angles = angle_file("0\n45\n90\n135\n")};
  EXPECT_EQ(open_scan(path, others).theta, (std::vector<double>{0, 45, 90, 135}));
}

// ---- other NeXus

TEST_F(ScanFormats, ReadsMonitorOfNexusGrid) {
  const std::string path = write("g.nxs", [&](h5::Writer& w) {
    put_numbers(w, "/entry1/stxm_entry/data/data", {kAngles, kBeamlets}, 1);
    put_numbers(w, "/entry1/stxm_entry/monitor/data", {kAngles, kBeamlets}, 100);
    put_angles(w, "/entry1/stxm_entry/data/theta", {30, 10, 20, 0});
  });
  const Scan scan = open_scan(path);
  EXPECT_EQ(scan.theta, (std::vector<double>{30, 10, 20, 0}));
  EXPECT_EQ(scan.data->slices(), 1u);
  ASSERT_TRUE(scan.monitor);
  EXPECT_EQ(read_block(*scan.monitor)(4, 0), 104.0f);
  EXPECT_EQ(inspect_file(path).fields.size(), 2u);

  // As an XRT site: b = -log(data / monitor).
  StudyFile study;
  study.rows = study.columns = 3;
  study.slices = 1;
  study.pixel_size = 1e-4;
  SiteEntry site;
  site.name = "xrt";
  site.kind = "xrt";
  site.data = "g.nxs";
  site.prepare.minus_log = true;
  const Block b = prepare_all_slices(study, site, directory_ / "study.toml").data.values;
  EXPECT_NEAR(b(4, 0), -std::log(5.0 / 104.0), 1e-6);
}

TEST_F(ScanFormats, AcceptsMonitorPerRowOrFrame) {
  const auto file = [&](const h5::Shape& monitor) {
    return write("g.nxs", [&](h5::Writer& w) {
      put_numbers(w, "/entry/data/data", {kAngles, kSlices, kBeamlets}, 1);
      put_numbers(w, "/entry/monitor/data", monitor, 100);
      put_angles(w, "/entry/data/theta", {0, 45, 90, 135});
    });
  };
  const auto value = [&](const h5::Shape& monitor, std::size_t a, std::size_t y, std::size_t x) {
    return read_block(*open_scan(file(monitor)).monitor)(a * kBeamlets + x, y);
  };
  EXPECT_EQ(value({kAngles}, 2, 1, 1), 102.0f);
  EXPECT_EQ(value({kAngles, kSlices}, 2, 1, 1), 105.0f);
  EXPECT_EQ(value({kAngles, kSlices, kBeamlets}, 2, 1, 1), 116.0f);
  const std::string wrong = file({kAngles, kBeamlets});
  EXPECT_CONTAINS(error_of([&] { open_scan(wrong); }),
                  "/entry/monitor/data: expected the shape (4, 2, 3) of /entry/data/data, or its "
                  "first axes alone, found (4, 3)");
}

TEST_F(ScanFormats, AcceptsAnglesOfASeparateFile) {
  const std::string grid = write("g.nxs", [&](h5::Writer& w) {
    put_numbers(w, "/entry/data/data", {kAngles, kSlices, kBeamlets}, 1);
  });
  const std::string maps = write("x.h5", [&](h5::Writer& w) {
    put_numbers(w, "/data", {1, kAngles, kSlices, kBeamlets});
    w.texts("/elements", {"Fe"});
  });
  const std::string angles = angle_file("0\n45\n90\n135\n");
  for (const std::string& file : {grid, maps}) {
    EXPECT_THROW(open_scan(file), Error);
    EXPECT_EQ(open_scan(file, {.angles = angles}).theta[3], 135);
  }
}

TEST_F(ScanFormats, RefusesUnknownFormats) {
  const std::string path = write("u.h5", [&](h5::Writer& w) {
    put_numbers(w, "/something", {2, 3});
  });
  EXPECT_CONTAINS(error_of([&] { open_scan(path); }), "XRFtomo or NeXus");
  EXPECT_CONTAINS(error_of([&] { open_scan(path); }), "/something (2, 3)");
}

}  // namespace
}  // namespace firm
