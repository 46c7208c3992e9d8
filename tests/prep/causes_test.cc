// Likely causes: a mistake in simulated data is the first cause, good data has no tested cause.
#include "prep/diagnose/causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "prep/diagnose/site_warnings.h"
#include "sim/simulated_study.h"
#include "simulated_sites.h"

namespace firm {
namespace {

// Causes of one site, beside XRT and with or without the other sites.
std::vector<Cause> causes_of(const SimulatedSites& s, std::size_t site, bool others,
                             CauseHints hints = {.calibrated = true}) {
  const std::size_t last = s.sites.size() - 1;
  for (std::size_t i = 0; others && i < last; ++i) {
    if (i == site) continue;
    hints.others.push_back(&s.sites[i]);
    hints.others_data.push_back(&s.data[i]);
  }
  return likely_causes(s.sites[site], s.data[site], &s.sites[last], &s.data[last], hints);
}

std::string text_of(const std::vector<Cause>& causes) {
  std::string text;
  for (const Cause& c : causes) text += c.text + (c.tested ? " (tested)\n" : "\n");
  return text;
}

std::size_t tested(const std::vector<Cause>& causes) {
  return static_cast<std::size_t>(std::ranges::count_if(causes, &Cause::tested));
}

void expect_first(const std::vector<Cause>& causes, const std::string& text, double most_fit) {
  ASSERT_FALSE(causes.empty());
  EXPECT_NE(causes[0].text.find(text), std::string::npos) << text << " in\n" << text_of(causes);
  EXPECT_TRUE(causes[0].tested) << text_of(causes);
  EXPECT_GT(causes[0].fit, 0.3);
  EXPECT_LT(causes[0].fit, most_fit) << text;
}

TEST(CausesTest, GoodDataHasNoTestedCause) {
  for (const char* preset : {"elements", "lopsided"}) {
    for (const double noise : {0.01, 0.05}) {
      const SimulatedSites s({preset, 24, 30, noise});
      for (std::size_t i = 0; i < s.sites.size(); ++i) {
        const std::vector<Cause> causes = causes_of(s, i, true);
        EXPECT_EQ(tested(causes), 0u) << preset << noise << i << "\n" << text_of(causes);
      }
    }
  }
}

TEST(CausesTest, NamesDetectorOnlyWithSelfAbsorption) {
  const SimulatedSites s;
  EXPECT_EQ(text_of(causes_of(s, 0, true)).find("detector_side"), std::string::npos);
  const std::string text = text_of(causes_of(s, 0, true, {.calibrated = true, .absorbed = true}));
  EXPECT_NE(text.find("detector_side, beam_direction or line"), std::string::npos) << text;
  EXPECT_LT(text.find("detector_side"), text.find("element, compound")) << text;
}

TEST(CausesTest, EmptyDataHasNoTestedCause) {
  SimulatedSites s;
  for (float& value : s.data[0].values.values()) value = 0;
  EXPECT_EQ(tested(causes_of(s, 0, true)), 0u);
}

TEST(CausesTest, FindsRadians) {
  for (const double noise : {0.01, 0.05}) {
    SimulatedSites s({"paper", 36, 30, noise});
    for (const std::size_t i : {0, 1, 3}) {
      for (double& angle : s.sites[i].geometry.angles) angle *= std::numbers::pi / 180;
      expect_first(causes_of(s, i, true), "angles are in radians", 5);
    }
  }
}

TEST(CausesTest, FindsDegreesReadAsRadians) {
  SimulatedSites s({"paper", 36, 30, 0.02});
  for (double& angle : s.sites[1].geometry.angles) angle *= 180 / std::numbers::pi;
  expect_first(causes_of(s, 1, true, {.read_as_radians = true, .calibrated = true}),
               "angles are in degrees", 3);
}

TEST(CausesTest, FindsMissingLogarithm) {
  for (const int wide : {0, 1}) {
    SimulatedSites s;
    for (float& value : s.xrt_data().values.values()) value = std::exp(-value);
    Geometry& g = s.xrt().geometry;
    if (wide == 1) g.image_rows = g.image_columns = g.beamlets;
    expect_first(causes_of(s, 3, true), "minus_log = true", 3);
  }
}

TEST(CausesTest, FindsLogarithmTakenTwice) {
  SimulatedSites s;
  Block& b = s.xrt_data().values;
  s.xrt_data().weights = Block(b.rows(), 1);
  for (std::size_t k = 0; k < b.rows(); ++k) {
    s.xrt_data().weights(k, 0) = b(k, 0) > 0 ? 1 : 0;
    b(k, 0) = b(k, 0) > 0 ? -std::log(b(k, 0)) : 0;
  }
  expect_first(causes_of(s, 3, true, {.minus_log = true}), "minus_log = false", 4);
}

TEST(CausesTest, FindsAxis) {
  for (const double offset : {-9.0, 2.0, 6.0}) {
    SimulatedSites s({"elements", 48, 40, 0.02});
    s.sites[2].geometry.rotation_axis += offset;
    const std::vector<Cause> causes = causes_of(s, 2, true);
    expect_first(causes, "the rotation axis is near 34", 3);
    const std::string found = text_of(causes_of(s, 2, true, {.axis_found = true}));
    EXPECT_EQ(found.find("rotation axis"), std::string::npos) << found;
  }
}

TEST(CausesTest, FindsImageSmallerThanObject) {
  SimulatedSites s({"paper", 48, 40, 0.02});
  for (Site& site : s.sites) site.geometry.image_rows = site.geometry.image_columns = 30;
  for (const std::size_t i : {1, 3}) {
    expect_first(causes_of(s, i, true), "the image is smaller than the object", 3);
  }
}

TEST(CausesTest, FindsSpacing) {
  // The element is the whole object, so that its outline tells.
  for (const double factor : {2.0, 0.5}) {
    SimulatedSites s({"elements", 48, 40, 0.02});
    s.sites[1].geometry.spacing *= factor;
    expect_first(causes_of(s, 1, true), "correct spacing", 3);
  }
}

TEST(CausesTest, FindsMirroredAndReversed) {
  for (const bool others : {true, false}) {
    SimulatedSites s({"elements", 40, 40, 0.02});
    s.mirror(1);
    expect_first(causes_of(s, 1, others), "angle_offset = \"180 deg\"", 3);
    SimulatedSites reversed({"lopsided", 40, 40, 0.02});
    for (double& angle : reversed.sites[0].geometry.angles) angle = -angle;
    expect_first(causes_of(reversed, 0, others), "reversed in sign", 3);
  }
}

TEST(CausesTest, FindsMirroredAndReversedXrt) {
  for (const char* preset : {"elements", "lopsided"}) {
    SimulatedSites s({preset, 40, 40, 0.02});
    s.mirror(3);
    expect_first(causes_of(s, 3, true), "angle_offset = \"180 deg\"", 3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(tested(causes_of(s, i, true)), 0u) << preset << i;
  }
  SimulatedSites reversed({"lopsided", 40, 40, 0.02});
  for (double& angle : reversed.xrt().geometry.angles) angle = -angle;
  expect_first(causes_of(reversed, 3, true), "reverse_angles = true", 3);
}

TEST(CausesTest, ListsUntestedCausesInOrderOfDocs) {
  const SimulatedSites s;
  const std::vector<Cause> alone = likely_causes(s.sites[0], s.data[0], nullptr, nullptr, {});
  ASSERT_EQ(alone.size(), 5u) << text_of(alone);
  const char* texts[] = {"angle_offset", "pixel_size", "--refine", "calibrate", "element"};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NE(alone[k].text.find(texts[k]), std::string::npos) << alone[k].text;
    EXPECT_FALSE(alone[k].tested);
    EXPECT_EQ(alone[k].fit, 0);
  }
  const std::vector<Cause> with_xrt = causes_of(s, 0, true);
  ASSERT_EQ(with_xrt.size(), 2u) << text_of(with_xrt);
  const std::vector<Cause> xrt = causes_of(s, 3, true);
  EXPECT_NE(xrt.back().text.find("other = true"), std::string::npos) << text_of(xrt);
}

TEST(CausesTest, TakesFewOfManySlicesOfAllSites) {
  SimulatedSites s({"elements", 24, 30, 0.02, 9});
  for (double& angle : s.sites[1].geometry.angles) angle += std::numbers::pi;
  expect_first(causes_of(s, 1, true), "angle_offset = \"180 deg\"", 3);
}

// Absorbed data does not fit any image without absorption, so nothing is tested with such images.
TEST(Causes, NameTheSideOfTheDetector) {
  SimulateOptions options;
  options.preset = "geode";
  options.size = 32;
  options.angles = 40;
  options.noise = 0.01;
  options.self_absorption = true;
  options.pixel_size = 8e-4;
  SimulatedStudy made = study_of(simulate(options));
  const CauseHints hints{.calibrated = true, .absorbed = true};
  const auto first_cause = [&](std::size_t site, double angle) {
    made.study.sites[site].fluorescence->path.detectors = {{angle, 1}};
    const std::vector<Cause> causes = likely_causes(made.study.sites[site], made.data[site],
                                                    &made.study.xrt(), &made.data.back(), hints);
    EXPECT_EQ(tested(causes), 0u) << text_of(causes);
    return causes.front().text;
  };
  for (std::size_t site = 0; site < 3; ++site) {
    EXPECT_NE(first_cause(site, std::numbers::pi).find("set detector_side = \"+t\""),
              std::string::npos);
    EXPECT_EQ(first_cause(site, 0).find("detector_side is wrong"), std::string::npos);
    EXPECT_TRUE(site_warnings({}, made.study.sites[site], made.data[site]).empty());
  }
}

}  // namespace
}  // namespace firm
