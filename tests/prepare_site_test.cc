// The preparation of a site as a whole: from a file as beamlines leave it to b, weights and rays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "firm/error.h"
#include "firm/projector.h"
#include "io/data_exchange.h"
#include "io/hdf5.h"
#include "prep/prepare.h"
#include "sim/simulate.h"
#include "temporary_directory.h"

namespace firm {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kSize = 48;
constexpr int kAngles = 60;
constexpr double kPixel = 10e-4;
constexpr double kDark = 100;

// An XRT site: counts with white and dark frames of an uneven beam, and a little noise.
class PrepareSite : public testing::Test {
 protected:
  void SetUp() override {
    SimulateOptions options;
    options.size = kSize;
    options.angles = 2;
    const Simulation simulation = simulate(options);
    geometry_ = paper_geometry(kSize, kAngles, kPixel);
    geometry_.rotation_axis += 6.3;
    beamlets_ = static_cast<std::size_t>(geometry_.beamlets);
    clean_ = Block(geometry_.rays(), 1);
    make_projector(geometry_)->forward(simulation.sites[3].truth, clean_);
    const float largest = *std::max_element(clean_.values().begin(), clean_.values().end());
    for (float& b : clean_.values()) b *= 1.5f / largest;

    file_.rows = file_.columns = kSize;
    file_.slices = 1;
    file_.pixel_size = kPixel;
    entry_.name = "xrt";
    entry_.kind = "xrt";
    entry_.data = "xrt.h5";
    entry_.prepare.minus_log = true;
    measure();
  }

  double white(std::size_t beamlet) const {
    return kDark + 20000 * (1 + 0.3 * std::sin(0.2 * static_cast<double>(beamlet)));
  }

  void measure() {
    std::mt19937 random(5);
    std::normal_distribution<double> noise(1, 0.001);
    file_data_ = {};
    file_data_.units = "counts";
    for (int k = 0; k < kAngles; ++k) file_data_.theta.push_back(180.0 * k / kAngles);
    file_data_.beamlets = geometry_.beamlets;
    file_data_.spacing = kPixel;
    file_data_.rotation_axis = geometry_.rotation_axis;
    file_data_.data = Block(clean_.rows(), 1);
    file_data_.white = Block(4 * beamlets_, 1);
    file_data_.dark = Block(4 * beamlets_, 1);
    for (std::size_t k = 0; k < clean_.rows(); ++k) {
      const double beam = (white(k % beamlets_) - kDark) * std::exp(-clean_(k, 0));
      file_data_.data(k, 0) = static_cast<float>(kDark + beam * noise(random));
    }
    for (std::size_t k = 0; k < 4 * beamlets_; ++k) {
      file_data_.white(k, 0) = static_cast<float>(white(k % beamlets_) * noise(random));
      file_data_.dark(k, 0) = static_cast<float>(kDark * noise(random));
    }
  }

  float& raw(std::size_t angle, std::size_t beamlet) {
    return file_data_.data(angle * beamlets_ + beamlet, 0);
  }
  std::size_t ray(std::size_t angle, std::size_t beamlet) const {
    return angle * beamlets_ + beamlet;
  }

  PreparedSite prepare() {
    write_acquisition(directory_ / "xrt.h5", file_data_);
    return prepare_site(file_, entry_, directory_ / "study.toml");
  }

  // Root mean square of b - clean over what counts.
  double error(const PreparedSite& p) const {
    double sum = 0;
    double count = 0;
    for (std::size_t k = 0; k < clean_.size(); ++k) {
      if (p.data.weights.rows() > 0 && p.data.weights.data()[k] == 0) continue;
      const double e = static_cast<double>(p.data.values.data()[k]) - clean_.data()[k];
      sum += e * e;
      ++count;
    }
    return std::sqrt(sum / count);
  }

  void expect_warning(const PreparedSite& p, const std::string& text) {
    const auto& all = p.report.warnings;
    EXPECT_TRUE(std::ranges::any_of(
        all, [&](const std::string& w) { return w.find(text) != std::string::npos; }))
        << text << "\nin: " << testing::PrintToString(all);
  }

  TemporaryDirectory directory_;
  Geometry geometry_;
  std::size_t beamlets_ = 0;
  Block clean_;
  StudyFile file_;
  SiteEntry entry_;
  Acquisition file_data_;
};

TEST_F(PrepareSite, GoodDataHasNoWeightsAndNothingToTell) {
  const PreparedSite p = prepare();
  EXPECT_LT(error(p), 0.003);
  EXPECT_EQ(p.data.weights.rows(), 0u);
  EXPECT_EQ(p.counts.values.rows(), 0u);
  EXPECT_EQ(p.report.normalized, "flat");
  EXPECT_EQ(p.report.values, clean_.size());
  EXPECT_TRUE(preparation_lines("xrt", p.report).empty()) << preparation_text(p.report);
  EXPECT_EQ(p.site.geometry.rotation_axis, geometry_.rotation_axis);
}

// ---- all that files in the wild have, at once

class BadData : public PrepareSite {
 protected:
  void SetUp() override {
    PrepareSite::SetUp();
    for (std::size_t a = 20; a < 40; ++a) {  // I0 jumps in mid-scan
      for (std::size_t x = 0; x < beamlets_; ++x) {
        raw(a, x) = static_cast<float>(kDark + 1.4 * (raw(a, x) - kDark));
      }
    }
    for (std::size_t a = 0; a < kAngles; ++a) {
      raw(a, kDeadBeamlet) = kNan;
      raw(a, kRing) = static_cast<float>(kDark + 1.1 * (raw(a, kRing) - kDark));
    }
    raw(7, 33) *= 8;
    raw(50, 12) *= 20;
    entry_.prepare.normalize = "air";
    entry_.prepare.air = 4;
    entry_.prepare.zingers = 3;
    entry_.prepare.bad_values = "mask";
    entry_.prepare.rings = 7;
    entry_.find_rotation_axis = true;
  }

  static constexpr std::size_t kDeadBeamlet = 30;
  static constexpr std::size_t kRing = 25;
};

TEST_F(BadData, IsMendedOrMasked) {
  const PreparedSite p = prepare();
  EXPECT_LT(error(p), 0.02);
  ASSERT_EQ(p.data.weights.rows(), clean_.rows());
  EXPECT_EQ(p.report.not_finite, static_cast<std::size_t>(kAngles));
  EXPECT_EQ(p.report.zingers, 2u);
  EXPECT_EQ(p.report.masked(), kAngles + 2u);
  EXPECT_EQ(std::ranges::count(p.data.weights.values(), 0.0f), kAngles + 2);
  EXPECT_EQ(std::ranges::count(p.data.weights.values(), 1.0f),
            static_cast<std::ptrdiff_t>(clean_.size()) - kAngles - 2);
  for (const std::size_t k : {ray(7, 33), ray(50, 12), ray(3, kDeadBeamlet)}) {
    EXPECT_EQ(p.data.weights(k, 0), 0.0f);
    EXPECT_EQ(p.data.values(k, 0), 0.0f);
  }
  EXPECT_EQ(p.report.normalized, "flat, air");
  ASSERT_TRUE(p.report.axis);
  EXPECT_NEAR(p.report.axis->axis, geometry_.rotation_axis, 0.25);
  EXPECT_EQ(p.report.axis->axis, p.site.geometry.rotation_axis);
  const std::vector<std::string> lines = preparation_lines("xrt", p.report);
  ASSERT_EQ(lines.size(), 1u) << testing::PrintToString(lines);
  EXPECT_CONTAINS(lines[0],
                  "xrt: 62 of 4080 values masked: 2 zingers, 60 NaN or infinite; rotation "
                  "axis found at 40.");
}

TEST_F(BadData, IsWorseWithoutEachOfTheCorrections) {
  const double mended = error(prepare());
  entry_.find_rotation_axis = false;
  const auto worse = [&](const char* what, double factor, const auto& change) {
    const Preparation kept = entry_.prepare;
    change(entry_.prepare);
    EXPECT_GT(error(prepare()), factor * mended) << what;
    entry_.prepare = kept;
  };
  worse("air", 10, [](Preparation& p) {
    p.normalize = "auto";
    p.air = 0;
  });
  worse("zingers", 2, [](Preparation& p) { p.zingers.reset(); });
  worse("rings", 1.2, [](Preparation& p) { p.rings = 0; });
  entry_.prepare.bad_values = "error";
  const std::string text = error_of([&] { prepare(); });
  EXPECT_CONTAINS(text,
                  "/exchange/data: expected finite values, found 60 NaN or infinite values, "
                  "the first nan in slice 0, angle 0, beamlet 30; bad_values = \"mask\" for "
                  "site xrt of ");
}

// ---- the single steps, as far as they need a file

TEST_F(PrepareSite, SaturatedValuesAreMasked) {
  raw(3, 10) = 65535;
  raw(4, 11) = 70000;
  entry_.prepare.saturation = 65535;
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.saturated, 2u);
  EXPECT_EQ(p.data.weights(ray(3, 10), 0), 0.0f);
  EXPECT_LT(error(p), 0.003);
}

TEST_F(PrepareSite, TransmissionsAreClippedRefusedOrMasked) {
  raw(3, 10) = 50;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "bad_values = \"mask\"");
  entry_.prepare.bad_values = "mask";
  EXPECT_EQ(prepare().report.not_positive, 1u);
  entry_.prepare.clip_low = 0.01;
  entry_.prepare.clip_high = 1.0;
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.masked(), 0u);
  EXPECT_EQ(p.report.clipped_low, 1u);
  EXPECT_GT(p.report.clipped_high, 100u);
  EXPECT_FLOAT_EQ(p.data.values(ray(3, 10), 0), static_cast<float>(-std::log(0.01)));
  EXPECT_GE(*std::min_element(p.data.values.values().begin(), p.data.values.values().end()), 0.0f);
}

TEST_F(PrepareSite, WhiteThatIsNotAboveDarkIsMasked) {
  for (std::size_t f = 0; f < 4; ++f) file_data_.white(f * beamlets_ + 9, 0) = 20;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "white above dark");
  entry_.prepare.bad_values = "mask";
  EXPECT_EQ(prepare().report.no_beam, static_cast<std::size_t>(kAngles));
}

TEST_F(PrepareSite, DeadBeamletsAreToldOrMasked) {
  for (std::size_t a = 0; a < kAngles; ++a) raw(a, 21) = 4711;
  PreparedSite p = prepare();
  expect_warning(p, "1 beamlet has the same value at all angles: 21 in slice 0; bad_values = ");
  EXPECT_EQ(p.data.weights.rows(), 0u);
  entry_.prepare.bad_values = "mask";
  p = prepare();
  EXPECT_TRUE(p.report.warnings.empty());
  EXPECT_EQ(p.report.dead, static_cast<std::size_t>(kAngles));
  EXPECT_LT(error(p), 0.003);
}

TEST_F(PrepareSite, AZingerInAWhiteFrameIsMedianed) {
  file_data_.white(2 * beamlets_ + 40, 0) *= 50;
  EXPECT_GT(error(prepare()), 0.1);
  entry_.prepare.zingers = 3;
  EXPECT_LT(error(prepare()), 0.003);
}

TEST_F(PrepareSite, AirAloneWillDo) {
  file_data_.white = Block();
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "normalize = \"air\" takes the beam from beamlets");
  entry_.prepare.normalize = "air";
  entry_.prepare.air = 4;
  EXPECT_EQ(prepare().report.normalized, "air");
  entry_.prepare.air = 40;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "air: expected at most half of the 68 beamlets");
}

TEST_F(PrepareSite, TransmissionsFarAboveOneAreTold) {
  for (float& value : file_data_.white.values()) value /= 3;
  expect_warning(prepare(), "transmissions are above 1.5");
  entry_.prepare.normalize = "air";
  entry_.prepare.air = 4;
  EXPECT_TRUE(prepare().report.warnings.empty());
}

TEST_F(PrepareSite, ASliceWithoutAnyValueIsRefused) {
  for (float& value : file_data_.data.values()) value = kNan;
  entry_.prepare.bad_values = "mask";
  EXPECT_CONTAINS(error_of([&] { prepare(); }),
                  "expected values that can be used in every slice, "
                  "found none in slice 0; 4080 of 4080 values masked");
}

TEST_F(PrepareSite, KeepsCountsWhereTheNoiseIsTheirs) {
  entry_.noise = Noise::kCounts;
  const PreparedSite p = prepare();
  ASSERT_EQ(p.counts.values.rows(), clean_.rows());
  EXPECT_EQ(p.counts.values(17, 0), file_data_.data(17, 0));
  EXPECT_EQ(p.counts.binned, 1);
  EXPECT_EQ(p.counts.white_frames, 4);
  EXPECT_EQ(p.counts.dark_frames, 4);
  ASSERT_EQ(p.counts.dark.size(), beamlets_);
  EXPECT_NEAR(p.counts.dark[5], kDark, 1);
}

TEST_F(PrepareSite, RefusesKeysThatDoNotGoTogether) {
  entry_.prepare.normalize = "monitor";
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "a monitor, because normalize = \"monitor\"");
  entry_.prepare.minus_log = false;
  file_data_.units = "1";
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "normalize: expected minus_log = true with it");
  entry_.prepare.normalize = "auto";
  entry_.prepare.clip_high = 1;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "clip_low, clip_high: expected minus_log = true");
  entry_.kind = "xrf";
  entry_.prepare = {};
  entry_.prepare.normalize = "flat";
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "because kind = \"xrf\", found \"flat\"");
}

TEST_F(PrepareSite, ScalesFluorescence) {
  entry_.kind = "xrf";
  entry_.prepare = {};
  entry_.prepare.scale = 1e-3;
  const PreparedSite p = prepare();
  EXPECT_FLOAT_EQ(p.data.values(5, 0), file_data_.data(5, 0) * 1e-3f);
  EXPECT_EQ(p.report.normalized, "none");
}

TEST_F(PrepareSite, RelatesFluorescenceToTheMonitor) {
  const std::vector<float> monitor = {100, 300, 200, 200, 200, 200};
  std::vector<float> data;
  for (const float i0 : monitor) data.push_back(2 * i0);
  h5::Writer writer(directory_ / "xrf.nxs");
  writer.dataset("/entry/data/data", {2, 3}, std::span<const float>(data));
  writer.dataset("/entry/monitor/data", {2, 3}, std::span<const float>(monitor));
  const std::vector<double> theta = {0, 90};
  writer.dataset("/entry/data/theta", {2}, std::span<const double>(theta));
  writer.commit();
  entry_.kind = "xrf";
  entry_.data = "xrf.nxs";
  entry_.prepare = {};
  const PreparedSite p = prepare_site(file_, entry_, directory_ / "study.toml");
  EXPECT_EQ(p.report.normalized, "monitor");
  for (const float value : p.data.values.values()) EXPECT_FLOAT_EQ(value, 400.0f);
}

// ---- geometry

TEST_F(PrepareSite, BinsBeamletsAndRowsFromTheFirstSliceOn) {
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
  expect_warning(prepare(), "the last 2 of the 68 beamlets are not used: 3 of them make one");
}

TEST_F(PrepareSite, FindsTheAxisInBinnedBeamletsAndTellsItInThoseOfTheFile) {
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
  entry_.axis_search = 3;  // beamlets of the file, too: 31 to 37, and it is at 40.3
  expect_warning(prepare(), "at the end of where it was looked for, 31 to 37");
}

// What is a point of the common image is displaced at this site; rays of the common image see it
// where the detector has seen it.
TEST_F(PrepareSite, ShiftsTheRaysWithTheObject) {
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

TEST_F(PrepareSite, AddsTheOffsetOfTheAngles) {
  entry_.angle_offset = 90;
  const Geometry g = prepare().site.geometry;
  EXPECT_NEAR(g.angles[0], std::acos(0.0), 1e-12);
  EXPECT_NEAR(g.angles[1] - g.angles[0], geometry_.angles[1], 1e-12);
}

}  // namespace
}  // namespace firm
