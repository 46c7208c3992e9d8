// Problems that an inspection finds, and the study it suggests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/inspect/inspect.h"
#include "io/inspect/survey.h"
#include "io/study/study_file.h"
#include "support/map_files.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// Twelve angles, two slices, forty beamlets; every value differs from its neighbours.
Acquisition example(const std::string& units) {
  Acquisition a;
  a.title = "an example";
  a.units = units;
  for (int k = 0; k < 12; ++k) a.theta.push_back(15 * k);
  a.beamlets = 40;
  a.spacing = 0.65e-4;
  a.rotation_axis = 20;
  a.data = Block(12 * 40, 2);
  for (std::size_t k = 0; k < a.data.size(); ++k) {
    a.data.values()[k] = 100 + 0.01f * static_cast<float>(k * 7 % 11);
  }
  return a;
}

void add_white(Acquisition& a) {
  a.white = Block(40, 2);
  for (float& value : a.white.values()) value = 200;
}

Inspection inspected(const TemporaryDirectory& directory, const Acquisition& a) {
  write_acquisition(directory / "a.h5", a);
  return inspect_file(directory / "a.h5");
}

// ---- dead columns

TEST(DeadColumns, HaveOneValueAtAllAngles) {
  const TemporaryDirectory directory;
  Acquisition a = example("counts");
  EXPECT_EQ(inspected(directory, a).dead.count, 0u);
  for (std::size_t angle = 0; angle < 12; ++angle) {
    a.data(angle * 40 + 3, 1) = 0;
    a.data(angle * 40 + 39, 0) = 7;
    a.data(angle * 40 + 5, 1) = std::numeric_limits<float>::quiet_NaN();
    a.data(angle * 40 + 6, 1) = angle == 11 ? 1.0f : 2.0f;  // not dead
  }
  const DeadReport dead = inspected(directory, a).dead;
  EXPECT_EQ(dead.count, 3u);
  EXPECT_EQ(dead.zero, 1u);
  ASSERT_EQ(dead.first.size(), 3u);
  EXPECT_EQ(dead.first[0].slice, 0u);
  EXPECT_EQ(dead.first[0].beamlet, 39u);
  EXPECT_EQ(dead.first[0].value, 7);
  EXPECT_EQ(dead.first[1].slice, 1u);
  EXPECT_EQ(dead.first[1].beamlet, 3u);
  EXPECT_EQ(dead.first[2].beamlet, 5u);
}

TEST(DeadColumns, ListsAtMostTen) {
  const TemporaryDirectory directory;
  Acquisition a = example("counts");
  for (float& value : a.data.values()) value = 2;
  const DeadReport dead = inspected(directory, a).dead;
  EXPECT_EQ(dead.count, 80u);
  EXPECT_EQ(dead.first.size(), 10u);
  // One angle is not enough.
  a.theta = {0};
  a.data = Block(40, 2);
  EXPECT_EQ(inspected(directory, a).dead.count, 0u);
}

// ---- jumps

TEST(Jumps, ExceedTheNoise) {
  const auto frames = [](const std::vector<double>& levels) {
    std::vector<std::size_t> numbers;
    for (const Jump& jump : find_jumps(levels)) numbers.push_back(jump.frame);
    return numbers;
  };
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(frames({1, 1, 1, 2, 2, 2}), Numbers{3});
  EXPECT_EQ(find_jumps({1, 1, 1, 2, 2, 2})[0].ratio, 2);
  EXPECT_EQ(frames({1, 1.02, 1, 1.05, 1.01}), Numbers{});
  EXPECT_EQ(frames({1, 1.3, 0.9, 1.2, 0.8, 1.1, 1.5, 1}), Numbers{});
  EXPECT_EQ(frames({1, 1, 1, 0.5, 1, 1, 1}), (Numbers{3, 4}));
  // A frame without beam is a jump; the next is compared with the last that had beam.
  EXPECT_EQ(frames({1, 1, 0, 1, 1, 1}), Numbers{2});
  EXPECT_EQ(frames({1, 1, NAN, 1, 3, 3, 3}), Numbers{4});
  // Many jumps do not hide others.
  EXPECT_EQ(frames({1, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0}), (Numbers{3, 5}));
  EXPECT_EQ(frames({1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 3}), (Numbers{3, 9}));
  EXPECT_EQ(find_jumps({1, 1, 1, 0, 0, 3, 3})[1].ratio, 3);
  EXPECT_EQ(frames({}), Numbers{});
  EXPECT_EQ(frames({5}), Numbers{});
}

TEST(Jumps, AreSearchedBesideTheObject) {
  const TemporaryDirectory directory;
  Acquisition a = example("counts");
  add_white(a);
  for (std::size_t angle = 0; angle < 12; ++angle) {
    // The object turns: its shadow differs by much more than the beam.
    for (std::size_t x = 2; x < 38; ++x) a.data(angle * 40 + x, 0) = angle % 2 == 0 ? 1.0f : 90.0f;
    for (std::size_t x = 0; angle >= 7 && x < 40; ++x) a.data(angle * 40 + x, 1) *= 0.25f;
  }
  const Inspection r = inspected(directory, a);
  EXPECT_CONTAINS(r.jumps.level, "mean of the 2 outermost beamlets on each side");
  ASSERT_EQ(r.jumps.frames.size(), 1u);
  EXPECT_EQ(r.jumps.frames[0].frame, 7u);
  EXPECT_NEAR(r.jumps.frames[0].ratio, (1 + 0.25) / 2, 0.01);
}

TEST(Jumps, AreSearchedInTheMonitorIfThereIsOne) {
  const TemporaryDirectory directory;
  make_directory(directory / "maps");
  for (std::size_t k = 0; k < 6; ++k) {
    MapsFile m;
    m.theta = static_cast<double>(k);
    // The fifth file has the values of a distant angle.
    write_maps_file(numbered(directory / "maps/", k, ".h5"), k == 4 ? 4000 : k, m);
  }
  const Inspection r = inspect_file(directory / "maps", {"Fe"});
  EXPECT_EQ(r.jumps.level, "mean of the monitor in a frame");
  ASSERT_EQ(r.jumps.frames.size(), 2u);
  EXPECT_EQ(r.jumps.frames[0].frame, 4u);
  EXPECT_NEAR(r.jumps.frames[0].ratio, (51000 + 24002.5) / (51000 + 20.5), 1e-6);
  EXPECT_EQ(r.jumps.frames[1].frame, 5u);
  EXPECT_GT(r.file_bytes, 6 * 1000u);
}

TEST(Jumps, AreSearchedInTheMeanOtherwise) {
  const TemporaryDirectory directory;
  Acquisition a = example("g/cm^2");
  for (std::size_t row = 5 * 40; row < 12 * 40; ++row) {
    for (std::size_t y = 0; y < 2; ++y) a.data(row, y) *= 1.5f;
  }
  const Inspection r = inspected(directory, a);
  EXPECT_CONTAINS(r.jumps.level, "mean of a frame");
  ASSERT_EQ(r.jumps.frames.size(), 1u);
  EXPECT_EQ(r.jumps.frames[0].frame, 5u);
  EXPECT_NEAR(r.jumps.frames[0].ratio, 1.5, 0.01);
}

// ---- frames

TEST(MissingFrames, AreZeroThroughout) {
  const TemporaryDirectory directory;
  Acquisition a = example("g/cm^2");
  EXPECT_TRUE(inspected(directory, a).missing.empty());
  for (std::size_t row = 9 * 40; row < 12 * 40; ++row) {
    for (std::size_t y = 0; y < 2; ++y) a.data(row, y) = 0;
  }
  a.data(10 * 40 + 5, 1) = 1e-9f;
  const Inspection r = inspected(directory, a);
  EXPECT_EQ(r.missing, (std::vector<std::size_t>{9, 11}));
  EXPECT_CONTAINS(r.study, "bad_values = \"mask\"");
  for (float& value : a.data.values()) value = 0;
  EXPECT_TRUE(inspected(directory, a).missing.empty());
}

// ---- saturation

TEST(Saturation, IsTheLargestValueOfAnInteger) {
  const TemporaryDirectory directory;
  {
    h5::Writer writer(directory / "a.h5");
    const std::vector<std::uint16_t> values = {65535, 1, 65535, 65534, 0, 7};
    writer.dataset("/exchange/data", {2, 1, 3}, std::span<const std::uint16_t>(values));
    const std::vector<double> theta = {0, 1};
    writer.dataset("/exchange/theta", {2}, std::span<const double>(theta));
    writer.commit();
  }
  const Inspection r = inspect_file(directory / "a.h5");
  EXPECT_EQ(r.fields[0].type, "uint16");
  EXPECT_EQ(r.fields[0].values.saturated, 2u);
  Acquisition a = example("counts");
  for (float& value : a.data.values()) value = 65535;
  EXPECT_EQ(inspected(directory, a).fields[0].values.saturated, 0u);
}

// ---- cross-talk

// A disc of Au beside a wire of W, whose counts have a share of those of Au.
class CrossTalk : public testing::Test {
 protected:
  Inspection inspected_w(double share, bool together = false) {
    constexpr std::size_t kRays = 120;
    std::vector<float> w;
    std::vector<float> au;
    for (std::size_t k = 0; k < 24 * kRays; ++k) {
      const double theta = static_cast<double>(k / kRays) * 0.13;
      const double t = static_cast<double>(k % kRays) - 60;
      const auto chord = [&](double x, double y, double radius) {
        const double d = t - x * std::cos(theta) - y * std::sin(theta);
        return d * d < radius * radius ? std::sqrt(radius * radius - d * d) : 0;
      };
      const double gold = 100 * chord(-20, 5, 14);
      const double other = 100 * (together ? chord(-18, 3, 20) : chord(30, 10, 6));
      au.push_back(static_cast<float>(std::round(gold)));
      w.push_back(static_cast<float>(std::round(other + share * gold)));
    }
    w.insert(w.end(), au.begin(), au.end());
    h5::Writer writer(directory_ / "xrf.h5");
    writer.dataset("/data", {2, 24, 1, kRays}, std::span<const float>(w));
    writer.texts("/elements", {"W", "Au"});
    std::vector<double> angles;
    for (int k = 0; k < 24; ++k) angles.push_back(7.5 * k);
    writer.dataset("/thetas", {24}, std::span<const double>(angles));
    writer.commit();
    return inspect_file(directory_ / "xrf.h5", {"W"});
  }
  static bool warned(const Inspection& r, const std::string& text) {
    return std::ranges::any_of(
        r.warnings, [&](const std::string& w) { return w.find(text) != std::string::npos; });
  }
  TemporaryDirectory directory_;
};

TEST_F(CrossTalk, IsWarnedAboutWithItsShare) {
  const Inspection r = inspected_w(0.095);
  EXPECT_TRUE(warned(r, "W looks like 0.095 of Au")) << testing::PrintToString(r.warnings);
  EXPECT_TRUE(warned(r, "unmix = {Au = 0.095}"));
  EXPECT_TRUE(warned(r, "a guess"));
}

TEST_F(CrossTalk, IsNotSeenInOrdinaryFiles) {
  EXPECT_FALSE(warned(inspected_w(0), "looks like"));
  EXPECT_FALSE(warned(inspected_w(0, true), "looks like"));
  const Inspection au = inspect_file(directory_ / "xrf.h5", {"Au"});
  EXPECT_FALSE(warned(au, "looks like"));
  inspected_w(0.095);
  EXPECT_FALSE(warned(inspect_file(directory_ / "xrf.h5", {"Au"}), "looks like"));
}

// ---- units

TEST(Units, WarnsAboutUnitsOtherThanAreaDensity) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(inspected(directory, example("ug/cm^2")).warnings.empty());
  const Inspection counts = inspected(directory, example("cts"));
  ASSERT_EQ(counts.warnings.size(), 1u);
  EXPECT_CONTAINS(counts.warnings[0], "in cts: a study needs scale = \"auto\", or the number");
  EXPECT_CONTAINS(counts.study, "scale = \"auto\" ");
  EXPECT_CONTAINS(inspected(directory, example("stones")).warnings.at(0), "\"stones\"");
  EXPECT_TRUE(inspected(directory, example("1")).warnings.empty());
}

TEST(Units, ReadsUnitsOfMapChannels) {
  const TemporaryDirectory directory;
  make_directory(directory / "maps");
  for (const std::string units : {"cts/s", "ug/cm^2"}) {
    for (std::size_t k = 0; k < 3; ++k) {
      MapsFile m;
      m.units = units;
      m.theta = static_cast<double>(k);
      write_maps_file(numbered(directory / "maps/", k, ".h5"), k, m);
    }
    const Inspection r = inspect_file(directory / "maps", {"Fe"});
    EXPECT_EQ(r.fields[0].units, units);
    EXPECT_EQ(r.warnings.size(), units == "cts/s" ? 1u : 0u);
  }
}

// ---- study.toml

// The study of two data files, with the missing numbers filled in.
StudyFile study_of(const TemporaryDirectory& directory, const Inspection& xrf,
                   const Inspection& xrt) {
  std::string text = xrf.study + xrt.study.substr(xrt.study.find("[[site]]"));
  for (const std::string key : {"energy", "compound"}) {
    const std::size_t at = text.find("# " + key);
    if (at != std::string::npos) text.replace(at, 2, "");
  }
  write_text_file(directory / "study.toml", text);
  return read_study(directory / "study.toml");
}

TEST(SuggestedStudy, IsAValidStudy) {
  const TemporaryDirectory directory;
  write_acquisition(directory / "xrf 1.h5", example("g/cm^2"));
  Acquisition counts = example("counts");
  add_white(counts);
  counts.data(0, 0) = 0;
  write_acquisition(directory / "xrt.h5", counts);
  const StudyFile study =
      study_of(directory, inspect_file(directory / "xrf 1.h5"), inspect_file(directory / "xrt.h5"));
  EXPECT_EQ(study.rows, 40);
  EXPECT_EQ(study.columns, 40);
  EXPECT_EQ(study.slices, 2);
  EXPECT_DOUBLE_EQ(study.pixel_size, 0.65e-4);
  ASSERT_EQ(study.sites.size(), 2u);
  EXPECT_EQ(study.sites[0].name, "xrf-1");
  EXPECT_EQ(study.sites[0].kind, "xrf");
  EXPECT_EQ(study.sites[0].data, directory / "xrf 1.h5");
  EXPECT_FALSE(study.sites[0].prepare.minus_log);
  EXPECT_EQ(study.sites[0].prepare.bad_values, "error");
  EXPECT_EQ(study.sites[1].name, "xrt");
  EXPECT_EQ(study.sites[1].kind, "xrt");
  EXPECT_TRUE(study.sites[1].prepare.minus_log);
  EXPECT_EQ(study.sites[1].prepare.bad_values, "mask");
}

TEST(SuggestedStudy, OfXrtIsComplete) {
  const TemporaryDirectory directory;
  Acquisition counts = example("counts");
  add_white(counts);
  write_text_file(directory / "study.toml", inspected(directory, counts).study);
  const StudyFile study = read_study(directory / "study.toml");
  EXPECT_TRUE(study.other);
  EXPECT_EQ(study.sites.at(0).noise, Noise::kCounts);
}

TEST(SuggestedStudy, ContainsTheRequest) {
  const TemporaryDirectory directory;
  const std::string angles = write_angles(directory / "angles.txt");
  make_directory(directory / "maps");
  for (std::size_t a = 0; a < kAngles; ++a) {
    PyxrfFile m;
    m.theta = 1000 * static_cast<double>(a);
    write_pyxrf_file(numbered(directory / "maps/", a, ".h5"), a, m);
  }
  const Inspection xrf = inspect_file(directory / "maps", {"", false, angles});
  EXPECT_CONTAINS(xrf.study, "# pixel_size = \"1 um\"");
  EXPECT_CONTAINS(xrf.study, "\nrotation_axis = \"auto\"");
  EXPECT_CONTAINS(xrf.study, "[study]\nname = \"maps-Fe_K\"\n# energy = \"12 keV\"");
  Inspection with_pixel = xrf;
  with_pixel.study.replace(xrf.study.find("# pixel"), 2, "");
  const Inspection xrt = inspect_file(directory / "maps", {"sclr1_ch2"});
  const StudyFile study = study_of(directory, with_pixel, xrt);
  EXPECT_EQ(study.sites[0].name, "maps-Fe_K");
  EXPECT_EQ(study.sites[0].element, "Fe_K");
  EXPECT_EQ(study.sites[0].angles, angles);
  EXPECT_NEAR(study.sites[0].coefficient, 104.7, 0.1);  // of iron at 12 keV
  EXPECT_EQ(study.sites[1].kind, "xrt");
  EXPECT_EQ(study.sites[1].element, "sclr1_ch2");
  EXPECT_TRUE(study.sites[1].prepare.minus_log);
  EXPECT_EQ(study.sites[1].prepare.bad_values, "error");
}

TEST(SuggestedStudy, MarksGuesses) {
  const TemporaryDirectory directory;
  const std::string angles = write_angles(directory / "angles.txt");
  write_bytes(directory / "a.npy", npy(1, npy_header("<u1", "(2, 4, 3)"), std::string(24, '\1')));
  const std::string study =
      inspect_file(directory / "a.npy", {"", false, angles, "y:theta:x"}).study;
  EXPECT_CONTAINS(study, "kind = \"xrf\"");
  EXPECT_CONTAINS(study, "# a guess");
  EXPECT_CONTAINS(study, "axes = \"y:theta:x\"");
  EXPECT_CONTAINS(study, "slices = 2");
  Acquisition a = example("1");
  a.data(3, 1) = std::numeric_limits<float>::infinity();
  const std::string xrt = inspected(directory, a).study;
  EXPECT_CONTAINS(xrt, "kind = \"xrt\"\n");
  EXPECT_CONTAINS(xrt, "bad_values = \"mask\"");
  EXPECT_CONTAINS(xrt, "minus_log = false");
}

}  // namespace
}  // namespace firm
