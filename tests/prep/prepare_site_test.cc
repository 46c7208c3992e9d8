// The whole preparation of a site: from a file of a beamline to b and weights.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/hdf5/hdf5.h"
#include "prep/xrt_site.h"

namespace firm {
namespace {

using PrepareSite = XrtSite;

TEST_F(PrepareSite, GivesGoodDataNoWeightsAndNoWarnings) {
  const PreparedSite p = prepare();
  EXPECT_LT(error(p), 0.003);
  EXPECT_EQ(p.data.weights.rows(), 0u);
  EXPECT_EQ(p.report.normalized, "flat");
  EXPECT_EQ(p.report.values, clean_.size());
  EXPECT_TRUE(preparation_lines("xrt", p.report).empty()) << preparation_text(p.report);
  EXPECT_EQ(p.site.geometry.rotation_axis, geometry_.rotation_axis);
}

// ---- all problems of real data at once

class BadData : public XrtSite {
 protected:
  void SetUp() override {
    XrtSite::SetUp();
    for (std::size_t a = 20; a < 40; ++a) {  // I0 jumps in mid-scan
      for (std::size_t x = 0; x < beamlets_; ++x) {
        raw(a, x) = static_cast<float>(kDark + 1.4 * (raw(a, x) - kDark));
      }
    }
    for (std::size_t a = 0; a < kAngles; ++a) {
      raw(a, kDeadBeamlet) = kNan;
      raw(a, kRing) = static_cast<float>(kDark + 1.3 * (raw(a, kRing) - kDark));
    }
    raw(7, 33) *= 8;
    raw(50, 12) *= 20;
    entry_.prepare.normalize = "air";
    entry_.prepare.air = 4;
    entry_.prepare.zingers = 3;
    entry_.prepare.bad_values = "mask";
    entry_.prepare.rings = 3;
    entry_.find_rotation_axis = true;
  }

  // Root mean square of b - clean, of one beamlet.
  double beamlet_error(const PreparedSite& p, std::size_t beamlet) const {
    double sum = 0;
    for (std::size_t a = 0; a < kAngles; ++a) {
      const double e = p.data.values(ray(a, beamlet), 0) - clean_(ray(a, beamlet), 0);
      sum += e * e / kAngles;
    }
    return std::sqrt(sum);
  }

  static constexpr std::size_t kDeadBeamlet = 44;
  static constexpr std::size_t kRing = 30;
};

TEST_F(BadData, IsCorrectedOrMasked) {
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
                  "axis found at 37.");
}

TEST_F(BadData, NeedsEachOfTheCorrections) {
  entry_.find_rotation_axis = false;
  const PreparedSite mended = prepare();
  const Preparation all = entry_.prepare;
  entry_.prepare.normalize = "auto";
  entry_.prepare.air = 0;
  EXPECT_GT(error(prepare()), 0.1);
  EXPECT_GT(error(prepare()), 5 * error(mended));
  entry_.prepare = all;
  entry_.prepare.rings = 0;
  EXPECT_GT(beamlet_error(prepare(), kRing), 0.25);
  EXPECT_GT(beamlet_error(prepare(), kRing), 2 * beamlet_error(mended, kRing));
  entry_.prepare.zingers.reset();
  EXPECT_GT(std::abs(prepare().data.values(ray(50, 12), 0) - clean_(ray(50, 12), 0)), 2);
  entry_.prepare = all;
  entry_.prepare.bad_values = "error";
  const std::string text = error_of([&] { prepare(); });
  EXPECT_CONTAINS(text,
                  "/exchange/data: expected finite values, found 60 NaN or infinite values, "
                  "the first nan in slice 0, angle 0, beamlet 44; bad_values = \"mask\" for "
                  "site xrt of ");
}

// ---- single steps that need a file

TEST_F(PrepareSite, MasksSaturatedValues) {
  raw(3, 10) = 65535;
  raw(4, 11) = 70000;
  entry_.prepare.saturation = 65535;
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.saturated, 2u);
  EXPECT_EQ(p.data.weights(ray(3, 10), 0), 0.0f);
  EXPECT_LT(error(p), 0.003);
}

TEST_F(PrepareSite, IgnoresSaturatedWhite) {
  entry_.prepare.saturation = 60000;
  file_data_.white(7, 0) = 65535;  // in one of four frames
  EXPECT_LT(error(prepare()), 0.002);
  EXPECT_EQ(prepare().report.masked(), 0u);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    file_data_.white(frame * beamlets_ + 7, 0) = 65535;
  }
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "white that is always saturated");
  entry_.prepare.bad_values = "mask";
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.no_beam, static_cast<std::size_t>(kAngles));
  EXPECT_LT(error(p), 0.002);
}

TEST_F(PrepareSite, ClipsRefusesOrMasksTransmissions) {
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

TEST_F(PrepareSite, MasksWhiteNotAboveDark) {
  for (std::size_t f = 0; f < 4; ++f) file_data_.white(f * beamlets_ + 9, 0) = 20;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "white above dark");
  entry_.prepare.bad_values = "mask";
  EXPECT_EQ(prepare().report.no_beam, static_cast<std::size_t>(kAngles));
}

TEST_F(PrepareSite, WarnsAboutOrMasksDeadBeamlets) {
  for (std::size_t a = 0; a < kAngles; ++a) raw(a, 21) = 4711;
  PreparedSite p = prepare();
  expect_warning(p, "1 beamlet has the same value at all angles: 21 in slice 0; bad_values = ");
  EXPECT_EQ(p.data.weights.rows(), 0u);
  entry_.prepare.bad_values = "mask";
  p = prepare();
  EXPECT_TRUE(p.report.all_warnings().empty());
  EXPECT_EQ(p.report.dead, static_cast<std::size_t>(kAngles));
  EXPECT_LT(error(p), 0.003);
}

TEST_F(PrepareSite, RemovesZingersFromWhiteFrames) {
  file_data_.white(2 * beamlets_ + 40, 0) *= 50;
  EXPECT_GT(error(prepare()), 0.1);
  entry_.prepare.zingers = 3;
  EXPECT_LT(error(prepare()), 0.003);
}

TEST_F(PrepareSite, NormalizesByAirAlone) {
  file_data_.white = Block();
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "normalize = \"air\" takes the beam from beamlets");
  entry_.prepare.normalize = "air";
  entry_.prepare.air = 4;
  EXPECT_EQ(prepare().report.normalized, "air");
  entry_.prepare.air = 40;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "air: expected at most half of the 68 beamlets");
}

TEST_F(PrepareSite, WarnsAboutImplausibleTransmissions) {
  for (float& value : file_data_.white.values()) value *= 1000;
  expect_warning(prepare(), "no transmission is above 0.00");
  for (float& value : file_data_.white.values()) value /= 3000;
  expect_warning(prepare(), "transmissions are above 1.5");
  entry_.prepare.normalize = "air";
  entry_.prepare.air = 4;
  EXPECT_TRUE(prepare().report.all_warnings().empty());
}

TEST_F(PrepareSite, RefusesCountsWithoutLogarithm) {
  entry_.prepare.minus_log = false;
  for (const char* units : {"counts", "cts", "Counts", "ADU", "photons"}) {
    file_data_.units = units;
    EXPECT_CONTAINS(error_of([&] { prepare(); }), "expected \"1\", because minus_log = false");
  }
}

TEST_F(PrepareSite, RefusesSlicesWithoutValues) {
  for (float& value : file_data_.data.values()) value = kNan;
  entry_.prepare.bad_values = "mask";
  EXPECT_CONTAINS(error_of([&] { prepare(); }),
                  "expected values that can be used in every slice, "
                  "found none in slice 0; 4080 of 4080 values masked");
}

// The variance beside the object is about 1 / n for the data, and a quarter of that for white.
TEST_F(PrepareSite, ComputesTheNoiseOfCounts) {
  entry_.noise = Noise::kCounts;
  const PreparedSite p = prepare();
  ASSERT_EQ(p.data.weights.rows(), clean_.rows());
  EXPECT_TRUE(p.site.weighted_values);
  ASSERT_TRUE(p.report.noise);
  EXPECT_EQ(p.report.noise->sigma, p.site.sigma);
  EXPECT_NEAR(p.site.sigma, std::sqrt(1.25 / 25000), 0.0007);
}

TEST_F(PrepareSite, RefusesContradictingKeys) {
  entry_.prepare.normalize = "monitor";
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "a monitor, because normalize = \"monitor\"");
  entry_.prepare.minus_log = false;
  file_data_.units = "1";
  EXPECT_CONTAINS(error_of([&] { prepare(); }),
                  "normalize: expected minus_log = true: values after the logarithm");
  entry_.prepare.normalize = "auto";
  entry_.prepare.clip_high = 1;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "clip_low, clip_high: expected minus_log = true");
  entry_.prepare.clip_high = {};
  entry_.prepare.rings = 69;
  EXPECT_CONTAINS(error_of([&] { prepare(); }),
                  "rings: expected a window of at most the 68 beamlets");
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

TEST_F(PrepareSite, ConvertsOrWarnsAboutUnitsOfFluorescence) {
  entry_.kind = "xrf";
  entry_.prepare = {};
  const auto expect_scale = [&](const char* units, double scale) {
    file_data_.units = units;
    const PreparedSite p = prepare();
    EXPECT_DOUBLE_EQ(p.report.scale, scale) << units;
    EXPECT_FLOAT_EQ(p.data.values(5, 0), file_data_.data(5, 0) * static_cast<float>(scale));
    return p;
  };
  EXPECT_TRUE(expect_scale("g/cm^2", 1).report.all_warnings().empty());
  EXPECT_TRUE(expect_scale("ug/cm^2", 1e-6).report.all_warnings().empty());
  EXPECT_TRUE(expect_scale("kg/m2", 0.1).report.all_warnings().empty());
  for (const char* units : {"counts", "cts/s", "Counts/sec"}) {
    expect_warning(expect_scale(units, 1), "firm calibrate");
  }
  expect_warning(expect_scale("furlongs", 1), "the unit \"furlongs\" of the data is unknown");
  expect_warning(expect_scale("furlongs", 1), "used as g/cm^2");
  // Counts are never g/cm^2.
  entry_.prepare.scale = 1;
  expect_warning(expect_scale("cts/s", 1), "scale = 1 takes it for g/cm^2");
  // A scale applies to the numbers in the file, whatever their unit.
  entry_.prepare.scale = 2;
  for (const char* units : {"ug/cm^2", "counts", "furlongs"}) {
    EXPECT_TRUE(expect_scale(units, 2).report.all_warnings().empty());
  }
}

TEST_F(PrepareSite, RefusesOrMasksMissingFrames) {
  const auto stop_at = [&](std::size_t angle) {
    for (std::size_t k = ray(angle, 0); k < file_data_.data.rows(); ++k) file_data_.data(k, 0) = 0;
  };
  stop_at(50);
  for (const bool xrf : {false, true}) {
    if (xrf) {
      entry_.kind = "xrf";
      entry_.prepare = {};
      entry_.prepare.scale = 1;
    } else {
      entry_.prepare.clip_low = 1e-3;  // would turn 0 into a value
    }
    EXPECT_CONTAINS(error_of([&] { prepare(); }),
                    "expected values other than 0 at every angle, found 10 of 60 frames are 0 "
                    "throughout, the first that of angle 50");
    entry_.prepare.bad_values = "mask";
    const PreparedSite p = prepare();
    expect_warning(p, "10 of 60 frames are 0 throughout");
    EXPECT_EQ(p.report.missing, 10 * beamlets_);
    EXPECT_EQ(p.report.masked(), p.report.missing);
    ASSERT_EQ(p.data.weights.rows(), clean_.rows());
    EXPECT_EQ(p.data.weights(ray(49, beamlets_ - 1), 0), 1);
    EXPECT_EQ(p.data.weights(ray(50, 0), 0), 0);
  }
}

TEST_F(PrepareSite, AcceptsEmptyFramesOfFewCounts) {
  entry_.kind = "xrf";
  entry_.prepare = {};
  entry_.prepare.scale = 1;
  for (float& value : file_data_.data.values()) value = 0;
  expect_warning(prepare(), "all values are 0");
  for (std::size_t angle = 0; angle < 30; ++angle) {
    for (std::size_t x = 10; x < 29; ++x) file_data_.data(ray(angle, x), 0) = 1;
  }
  EXPECT_EQ(prepare().report.missing_frames, 0u);
  for (std::size_t angle = 0; angle < 30; ++angle) file_data_.data(ray(angle, 29), 0) = 1;
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "30 of 60 frames");
}

TEST_F(PrepareSite, WarnsAboutUnitsOtherThanLogarithms) {
  entry_.prepare = {};
  file_data_.units = "furlongs";
  expect_warning(prepare(), "used as -log(transmission)");
  file_data_.units = "1";
  EXPECT_TRUE(prepare().report.all_warnings().empty());
}

// Two angles, three beamlets.
void write_grid(const std::string& path, const std::vector<float>& data,
                const std::vector<float>& monitor) {
  h5::Writer writer(path);
  writer.dataset("/entry/data/data", {2, 3}, std::span<const float>(data));
  writer.dataset("/entry/monitor/data", {2, 3}, std::span<const float>(monitor));
  const std::vector<double> theta = {0, 90};
  writer.dataset("/entry/data/theta", {2}, std::span<const double>(theta));
  writer.commit();
}

TEST_F(PrepareSite, WarnsAboutUnusedSpacing) {
  h5::Writer writer(directory_ / "raw.h5");
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  writer.dataset("/exchange/data", {2, 1, 3}, std::span<const float>(data));
  writer.attribute("/exchange/data", "units", "1");
  const std::vector<double> theta = {0, 90};
  writer.dataset("/exchange/theta", {2}, std::span<const double>(theta));
  writer.number("/measurement/instrument/detector/actual_pixel_size_x", 2, "parsecs");
  writer.commit();
  entry_.data = "raw.h5";
  entry_.prepare = {};
  const auto prepared = [&] {
    return prepare_all_slices(file_, entry_, directory_ / "study.toml");
  };
  expect_warning(prepared(), "its unit \"parsecs\" is none of nm, um");
  EXPECT_DOUBLE_EQ(prepared().site.geometry.spacing, kPixel);
  entry_.spacing = 1e-4;
  EXPECT_TRUE(prepared().report.all_warnings().empty());
}

TEST_F(PrepareSite, WarnsAboutCountersThatDisagreeBesideTheObject) {
  entry_.data = "xrt.nxs";
  const auto prepared = [&](float air) {
    write_grid(directory_ / "xrt.nxs", {100 * air, 20, 100 * air, 200 * air, 30, 200 * air},
               {100, 100, 100, 200, 200, 200});
    return prepare_all_slices(file_, entry_, directory_ / "study.toml");
  };
  EXPECT_TRUE(prepared(0.98f).report.all_warnings().empty());
  expect_warning(prepared(0.35f), "is 0.35 in the 1 outermost beamlets on each side, not 1");
  entry_.prepare.normalize = "air";
  entry_.prepare.air = 1;
  const PreparedSite p = prepared(0.35f);
  EXPECT_TRUE(p.report.all_warnings().empty());
  EXPECT_NEAR(p.data.values(0, 0), 0, 1e-6);
}

TEST_F(PrepareSite, NormalizesFluorescenceByTheMonitor) {
  const std::vector<float> monitor = {100, 300, 200, 200, 200, 200};
  std::vector<float> data;
  for (const float i0 : monitor) data.push_back(2 * i0);
  write_grid(directory_ / "xrf.nxs", data, monitor);
  entry_.kind = "xrf";
  entry_.data = "xrf.nxs";
  entry_.prepare = {};
  const PreparedSite p = prepare_all_slices(file_, entry_, directory_ / "study.toml");
  EXPECT_EQ(p.report.normalized, "monitor");
  for (const float value : p.data.values.values()) EXPECT_FLOAT_EQ(value, 400.0f);
}

}  // namespace
}  // namespace firm
