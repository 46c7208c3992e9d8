// Each defect of a twin alone, at a small size; twin_long_test.cc has all of them together.
#include "run/twin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

TEST(Twin, FindsShiftsAxisAndScales) {
  SimulateOptions options = twin_options(125);
  options.defects.jitter = 4;
  options.defects.drift = 3;
  options.defects.axis_offset = 4;
  const RefinedTwin twin = refine_twin(options, "shifts,axis,scale");
  EXPECT_LT(twin.shift_error(), 0.3);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(std::abs(twin.axis_error(i)), 0.5) << i;
    EXPECT_LT(std::abs(twin.axis_error(i)), 3 * twin.found.sites[i].axis->uncertainty) << i;
  }
  EXPECT_NEAR(twin.scale_ratio(0), 1, 0.1);
  EXPECT_NEAR(twin.scale_ratio(1), 1, 0.1);
  // Zn is nowhere without glass: its scale cannot be known.
  EXPECT_FALSE(twin.found.sites[2].coupled);
  EXPECT_TRUE(std::ranges::any_of(twin.found.warnings, [](const std::string& text) {
    return text.find("xrf-3") != std::string::npos && text.find("30 %") != std::string::npos;
  }));
}

// Where XRT leaves nothing to a site, its scale is unknown, not 0 +- 0.
TEST(Twin, SaysThatScalesOfUnalignedDataAreNotKnown) {
  SimulateOptions options = twin_options(48);
  options.defects.jitter = 3;
  options.defects.axis_offset = 12;
  const RefinedTwin twin = refine_twin(options, "scale");
  bool none = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const RefinedSite& site = twin.found.sites[i];
    EXPECT_FALSE(site.coupled) << site.name;
    if (site.scale) {
      EXPECT_GT(site.scale->uncertainty, 0.3 * site.scale->value) << site.name;
      continue;
    }
    none = true;
    EXPECT_TRUE(std::ranges::any_of(twin.found.warnings, [&](const std::string& text) {
      return text.starts_with(site.name + ": its scale is not known: XRT leaves nothing");
    })) << site.name;
  }
  EXPECT_TRUE(none);
}

// Without defects the scales of so small a rod are found.
TEST(Twin, FindsScalesOfASmallRod) {
  const RefinedTwin twin = refine_twin(twin_options(48), "scale");
  for (std::size_t i = 0; i < 2; ++i) {
    const Found& scale = *twin.found.sites[i].scale;
    EXPECT_TRUE(twin.found.sites[i].coupled);
    EXPECT_LT(std::abs(1 - 1 / twin.scale_ratio(i)), 3 * scale.uncertainty / scale.value) << i;
  }
}

TEST(Twin, FindsTheLagOfXrt) {
  SimulateOptions options = twin_options(125);
  options.defects.jitter = 3;
  options.defects.lag = 7;
  const RefinedTwin twin = refine_twin(options, "shifts,lag");
  EXPECT_LT(twin.shift_error(), 0.3);
  const Found& lag = *twin.found.sites[3].lag;
  EXPECT_NEAR(lag.value, 7, 1.2);
  EXPECT_LT(std::abs(lag.value - 7), 3 * lag.uncertainty);
  EXPECT_LT(std::abs(twin.axis_error(3)), 0.5);
}

TEST(Twin, FindsTheDriftOfTheBeam) {
  SimulateOptions options = twin_options(125);
  options.defects.beam_drift = 0.1;
  const RefinedTwin twin = refine_twin(options, "gain");
  for (const RefinedSite& site : twin.found.sites) {
    ASSERT_EQ(site.gain.size(), 36u) << site.name;
    for (std::size_t k = 0; k < 36; ++k) {
      EXPECT_NEAR(site.gain[k], twin.simulation.scan.gain[k], 0.03) << site.name << " " << k;
    }
  }
}

TEST(Twin, RefusesTheScaleOfAMixedElement) {
  SimulateOptions options = twin_options(125);
  options.defects.crosstalk = 0.1;
  const RefinedTwin mixed = refine_twin(options, "scale");
  EXPECT_FALSE(mixed.found.sites[0].coupled);
  EXPECT_NEAR(mixed.scale_ratio(1), 1, 0.1);
  EXPECT_TRUE(std::ranges::any_of(mixed.found.warnings, [](const std::string& text) {
    return text.find("unmix") != std::string::npos;
  }));
  const RefinedTwin unmixed = refine_twin(options, "scale", 0.1);
  EXPECT_NEAR(unmixed.scale_ratio(0), 1, 0.1);
}

TEST(Twin, FindsVerticalShifts) {
  SimulateOptions options = twin_options(64);
  options.preset = "elements";
  options.pixel_size = default_pixel_size("elements", 64);
  options.counts = 0;
  options.xrf_counts = 0;
  options.noise = 0.01;
  options.slices = 24;
  options.defects.vertical_jitter = 2;
  const RefinedTwin twin = refine_twin(options, "shifts-vertical");
  std::vector<double> error = twin.scan().vertical;
  double mean = 0, squares = 0;
  for (std::size_t k = 0; k < error.size(); ++k) {
    error[k] -= twin.simulation.scan.vertical_shifts[k];
    mean += error[k] / static_cast<double>(error.size());
  }
  for (const double e : error) squares += (e - mean) * (e - mean);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(error.size())), 0.1);
}

}  // namespace
}  // namespace firm
