// Alignment of scans that are simulated on a grid twice as fine; align_long_test.cc has the whole
// table of docs/method.md at full size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "align/aligned.h"
#include "firm/error.h"

namespace firm {
namespace {

const RefineChoice kShifts{.shifts = true};
const RefineChoice kShiftsAndAxis{.shifts = true, .axis = true};

TEST(Shifts, AreFoundDespiteJitterAndDrift) {
  for (const char* preset : {"paper", "shapes"}) {
    const ShakenScan scan = shake({.preset = preset});
    const Refinement found = aligned(scan, kShifts);
    EXPECT_LT(rms_error(scan, found.scans.front().shifts), 0.1) << preset;
    EXPECT_LT(found.scans.front().uncertainty(), 0.1) << preset;
    EXPECT_TRUE(found.warnings.empty());
  }
}

TEST(Shifts, AreFoundInNoise) {
  const ShakenScan scan = shake({.noise = 0.1});
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.25);
}

TEST(Shifts, StaySmallWhereThereAreNone) {
  const ShakenScan scan = shake({.jitter = 0, .drift = 0});
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.04);
}

TEST(Shifts, StateAnUncertaintyOfTheirErrors) {
  for (const double noise : {0.01, 0.1}) {
    const ShakenScan scan = shake({.noise = noise});
    const Refinement found = aligned(scan, kShifts);
    const double error = rms_error(scan, found.scans.front().shifts);
    EXPECT_LT(error, 2 * found.scans.front().uncertainty()) << noise;
    EXPECT_GT(error, found.scans.front().uncertainty() / 5) << noise;
  }
}

// An element in deep noise cannot be aligned alone, but with the others of its scan.
TEST(Shifts, OfAWeakElementComeFromTheOthers) {
  const ShakenScan scan = shake({.weak = {1}});
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.3);
  ShakenScan alone = scan;
  alone.study.sites[0].scan = "B";
  const Refinement found = aligned(alone, kShifts);
  const auto b = std::ranges::find(found.scans, "B", &RefinedScan::name);
  EXPECT_GT(rms_error(scan, b->shifts), 0.6);
}

TEST(Shifts, AreFoundForAnglesInRandomOrderOverAFullTurn) {
  const ShakenScan scan = shake({.span = 360, .shuffled = true});
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.1);
}

TEST(Shifts, AreFoundWithMissingAnglesAndARepeatedOne) {
  const ShakenScan scan = shake({.gap = true, .repeated = true});
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.15);
}

TEST(Shifts, IgnoreMaskedValues) {
  ShakenScan scan = shake({});
  for (SiteData& data : scan.study.data) {
    const auto beamlets = static_cast<std::size_t>(scan.study.sites[data.site].geometry.beamlets);
    data.weights = Block(data.values.rows(), 1);
    for (std::size_t ray = 0; ray < data.values.rows(); ++ray) {
      const bool masked = ray % beamlets == 40 || ray % 97 == 0;
      data.weights(ray, 0) = masked ? 0 : 1;
      if (masked) data.values(ray, 0) = 1e6f;
    }
  }
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.1);
}

TEST(Shifts, AreFoundInATruncatedFieldOfView) {
  const ShakenScan scan = shake({.cut = 24});
  EXPECT_LT(rms_error(scan, aligned(scan, kShifts).scans.front().shifts), 0.3);
}

TEST(Shifts, AreBoundedAndSaySoIfDataCannotBeAligned) {
  ShakenScan scan = shake({});
  std::uint32_t state = 1;
  for (SiteData& data : scan.study.data) {
    for (float& value : data.values.values()) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<float>(state >> 8) / 16777216.0f;  // no object at all
    }
  }
  const Refinement found = aligned(scan, kShifts);
  for (const double shift : found.scans.front().shifts) EXPECT_LT(std::abs(shift), 40);
  EXPECT_FALSE(found.warnings.empty());
}

TEST(Axis, IsFoundBesideShifts) {
  const ShakenScan scan = shake({.axis_offset = 6});
  const Refinement found = aligned(scan, kShiftsAndAxis);
  EXPECT_LT(rms_error(scan, found.scans.front().shifts), 0.1);
  for (const RefinedSite& site : found.sites) {
    const double error = std::abs(site.axis->value - scan.axis);
    EXPECT_LT(error, 0.3) << site.name;
    EXPECT_LT(error, 3 * site.axis->uncertainty) << site.name;
  }
}

TEST(Axis, OfALaggingDetectorWarns) {
  const ShakenScan scan = shake({.axis_offset = 2, .lag = 7});
  const Refinement found = aligned(scan, kShiftsAndAxis);
  const RefinedSite& xrt = found.sites.back();
  EXPECT_GT(xrt.axis->value - scan.axis, 4);
  EXPECT_LT(xrt.axis->value - scan.axis, 3 * xrt.axis->uncertainty);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings.front().find("--refine lag"), std::string::npos);
}

TEST(Lag, IsFoundByTheAxisOfTheOtherSites) {
  const RefineChoice choice{.shifts = true, .axis = true, .lag = true};
  for (const double lag : {0.0, 3.0, 7.0}) {
    const ShakenScan scan = shake({.preset = "shapes", .axis_offset = 2, .lag = lag});
    const Refinement found = aligned(scan, choice);
    const Found& of_xrt = *found.sites.back().lag;
    EXPECT_LT(std::abs(of_xrt.value - lag), std::max(0.1, 3 * of_xrt.uncertainty)) << lag;
    EXPECT_LT(std::abs(of_xrt.value - lag), 0.6) << lag;
    EXPECT_LT(std::abs(found.sites.back().axis->value - scan.axis), 0.5) << lag;
    EXPECT_FALSE(found.sites.front().lag.has_value());
  }
}

TEST(Gain, FollowsABeamThatDrifts) {
  const RefineChoice choice{.gain = true};
  ShakenScan scan = shake({.jitter = 0, .drift = 0});
  const auto gain = [](std::size_t angle) {
    return 1 + 0.1 * std::sin(0.2 * static_cast<double>(angle));
  };
  double mean = 0;
  for (std::size_t k = 0; k < 36; ++k) mean += gain(k) / 36;
  for (SiteData& data : scan.study.data) {
    const std::size_t beamlets = data.values.rows() / 36;
    for (std::size_t ray = 0; ray < data.values.rows(); ++ray) {
      const double g = gain(ray / beamlets) / mean;
      float& value = data.values(ray, 0);
      value =
          data.site == 3 ? value - static_cast<float>(std::log(g)) : value * static_cast<float>(g);
    }
  }
  for (const RefinedSite& site : aligned(scan, choice).sites) {
    ASSERT_EQ(site.gain.size(), 36u) << site.name;
    for (std::size_t k = 0; k < 36; ++k) {
      EXPECT_NEAR(site.gain[k], gain(k) / mean, 0.02) << site.name << " " << k;
    }
  }
  const ShakenScan steady = shake({.noise = 0.05, .jitter = 0, .drift = 0});
  for (const RefinedSite& site : aligned(steady, choice).sites) {
    for (const double g : site.gain) EXPECT_NEAR(g, 1, 0.02) << site.name;
  }
}

TEST(AngleStep, IsFoundWhereTheDataTells) {
  const RefineChoice choice{.shifts = true, .axis = true, .angles = true};
  for (const double scale : {1.0, 1.014}) {
    const ShakenScan scan = shake({.preset = "shapes", .size = 128, .angle_scale = scale});
    const Found found = *aligned(scan, choice).scans.front().angle_scale;
    EXPECT_LT(std::abs(found.value - scale), 2.5 * found.uncertainty) << scale;
    EXPECT_LT(std::abs(found.value - scale), 0.008) << scale;
  }
}

// The unit of data makes no difference, nor does the number of threads.
TEST(Alignment, IsTheSameInOtherUnitsAndForAnyNumberOfThreads) {
  const ShakenScan scan = shake({.size = 64, .angles = 18});
  const Refinement one = aligned(scan, kShiftsAndAxis, {}, 1);
  const Refinement three = aligned(scan, kShiftsAndAxis, {}, 3);
  EXPECT_EQ(one.scans.front().shifts, three.scans.front().shifts);
  EXPECT_EQ(one.sites.back().axis->value, three.sites.back().axis->value);
  ShakenScan scaled = scan;
  for (SiteData& data : scaled.study.data) {
    for (float& value : data.values.values()) value *= 1000;
    scaled.study.sites[data.site].sigma *= 1000;
  }
  const Refinement found = aligned(scaled, kShiftsAndAxis, {}, 1);
  for (std::size_t k = 0; k < 18; ++k) {
    EXPECT_NEAR(found.scans.front().shifts[k], one.scans.front().shifts[k], 1e-3);
  }
}

TEST(Alignment, RefusesSitesOfOneScanWithDifferentAngles) {
  ShakenScan scan = shake({.size = 32, .angles = 12});
  scan.study.sites[1].geometry.angles[3] += 0.1;
  try {
    aligned(scan, kShifts);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("angle 3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace firm
