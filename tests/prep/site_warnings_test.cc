// Warnings before a run: one mistake in simulated data gives its warning, good data gives none.
#include "prep/diagnose/site_warnings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "prep/diagnose/site_comparison.h"
#include "simulated_sites.h"

namespace firm {
namespace {

std::vector<std::string> warnings_of(const SimulatedSites& s, const SiteEntry& entry = {}) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    for (const std::string& text : site_warnings(entry, s.sites[i], s.data[i])) {
      all.push_back(s.sites[i].name + ": " + text);
    }
  }
  for (const SiteWarning& warning : compare_sites(s.sites, s.data)) {
    all.push_back(s.sites[warning.site].name + ": " + warning.text);
  }
  return all;
}

void expect_none(const SimulatedSites& s, const std::string& what) {
  for (const std::string& text : warnings_of(s)) ADD_FAILURE() << what << ": " << text;
}

// Expects one warning, of this site, with this text.
void expect_one(const SimulatedSites& s, const std::string& site, const std::string& text,
                const SiteEntry& entry = {}) {
  const std::vector<std::string> all = warnings_of(s, entry);
  ASSERT_EQ(all.size(), 1u) << text << "\n" << testing::PrintToString(all);
  EXPECT_TRUE(all[0].starts_with(site + ": ")) << all[0];
  EXPECT_NE(all[0].find(text), std::string::npos) << all[0];
}

TEST(SiteWarningsTest, GoodDataHasNone) {
  for (const char* preset : {"paper", "elements", "lopsided"}) {
    for (const double noise : {0.0, 0.02, 0.1}) {
      for (const int angles : {15, 60}) {
        SimulatedSites s({preset, 32, angles, noise});
        expect_none(s, preset + std::to_string(noise) + " " + std::to_string(angles));
      }
    }
  }
}

TEST(SiteWarningsTest, TruncatedAndWeakAndEmptyDataHasNone) {
  SimulatedSites truncated({"paper", 32, 40, 0.02});
  for (std::size_t i = 0; i < truncated.sites.size(); ++i) {
    Geometry& g = truncated.sites[i].geometry;
    const int cut = g.beamlets / 4;  // a quarter at each end
    Block part(g.angles.size() * static_cast<std::size_t>(g.beamlets - 2 * cut), 1);
    for (std::size_t k = 0; k < part.rows(); ++k) {
      const auto width = static_cast<std::size_t>(g.beamlets - 2 * cut);
      part(k, 0) = truncated.data[i].values(k / width * static_cast<std::size_t>(g.beamlets) +
                                                k % width + static_cast<std::size_t>(cut),
                                            0);
    }
    truncated.data[i].values = std::move(part);
    g.beamlets -= 2 * cut;
    g.rotation_axis -= cut;
  }
  expect_none(truncated, "truncated");

  SimulatedSites weak({"paper", 32, 40, 0.0});
  Random random(1, 1);
  const float top = *std::ranges::max_element(weak.data[0].values.values());
  for (float& value : weak.data[0].values.values()) {
    value = 0.1f * value + 0.1f * top * static_cast<float>(random.normal());
  }
  expect_none(weak, "an element below its noise");

  SimulatedSites empty({"paper", 32, 40, 0.02});
  for (float& value : empty.data[1].values.values()) value = 0;
  for (const std::string& text : warnings_of(empty)) EXPECT_EQ(text, "none");
}

TEST(SiteWarningsTest, FindsShortSpanOfAngles) {
  SimulatedSites s;
  for (double& angle : s.sites[1].geometry.angles) angle *= 1.0 / 180;
  expect_one(s, "xrf-2", "if they are radians");
}

TEST(SiteWarningsTest, FindsTransmissionsWithoutLogarithm) {
  SimulatedSites s;
  for (float& value : s.xrt_data().values.values()) value = std::exp(-value);
  expect_one(s, "xrt", "minus_log = true");
}

TEST(SiteWarningsTest, FindsCountsWithoutLogarithm) {
  SimulatedSites s;
  for (float& value : s.xrt_data().values.values()) value = 1e4f * std::exp(-value);
  expect_one(s, "xrt", "look like counts");
}

TEST(SiteWarningsTest, FindsMissingMinusSign) {
  SimulatedSites s;
  for (float& value : s.xrt_data().values.values()) value = -value;
  expect_one(s, "xrt", "without the minus sign");
}

TEST(SiteWarningsTest, FindsLogarithmTakenTwice) {
  SimulatedSites s;
  Block& b = s.xrt_data().values;
  s.xrt_data().weights = Block(b.rows(), 1);
  for (std::size_t k = 0; k < b.rows(); ++k) {
    s.xrt_data().weights(k, 0) = b(k, 0) > 0 ? 1 : 0;
    b(k, 0) = b(k, 0) > 0 ? -std::log(b(k, 0)) : 0;
  }
  SiteEntry entry;
  entry.prepare.minus_log = true;
  expect_one(s, "xrt", "minus_log = false", entry);
}

TEST(SiteWarningsTest, FindsLevelBesideObject) {
  SimulatedSites s;
  for (float& value : s.xrt_data().values.values()) value += 0.25f;
  SiteEntry entry;
  entry.prepare.minus_log = true;
  expect_one(s, "xrt", "normalize = \"air\"", entry);
  SimulatedSites background;
  const float top = *std::ranges::max_element(background.data[0].values.values());
  for (float& value : background.data[0].values.values()) value += 0.2f * top;
  expect_one(background, "xrf-1", "subtract the background");
}

TEST(SiteWarningsTest, NamesPixelsThatObjectNeeds) {
  SimulatedSites s;
  for (Site& site : s.sites) site.geometry.image_rows = site.geometry.image_columns = 24;
  // The object is 0.92 of the 40 pixels high. The core, xrf-1, is within the smaller image.
  const std::vector<std::string> all = warnings_of(s);
  ASSERT_EQ(all.size(), 3u) << testing::PrintToString(all);
  for (const std::string& text : all) {
    const auto at = text.find("needs about ");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_NEAR(std::stoi(text.substr(at + 12)), 37, 3) << text;
  }
}

TEST(SiteWarningsTest, FindsWrongAxis) {
  SimulatedSites s;
  s.sites[1].geometry.rotation_axis += 4;
  expect_one(s, "xrf-2", "the projections turn around");
  s.sites[1].geometry.rotation_axis = -2;
  expect_one(s, "xrf-2", "outside the detector");
  SiteEntry entry;
  entry.find_rotation_axis = true;  // has warnings of its own
  s.sites[1].geometry.rotation_axis = s.sites[0].geometry.rotation_axis + 2;
  for (const std::string& text : warnings_of(s, entry)) EXPECT_EQ(text.find("turn"), text.npos);
}

TEST(SiteComparisonTest, FindsMirroredDetector) {
  for (const char* preset : {"paper", "elements"}) {
    SimulatedSites s({preset, 40, 40, 0.03});
    s.mirror(1);
    expect_one(s, "xrf-2", "angle_offset = \"180 deg\"");
    for (double& angle : s.sites[1].geometry.angles) angle += std::numbers::pi;
    expect_none(s, "with the fix");
  }
}

TEST(SiteComparisonTest, FindsReversedAngles) {
  SimulatedSites s({"lopsided"});
  for (double& angle : s.sites[0].geometry.angles) angle = -angle;
  expect_one(s, "xrf-1", "its angles reversed in sign (reverse_angles = true)");
  SimulatedSites order({"lopsided", 40, 40});
  std::ranges::reverse(order.sites[0].geometry.angles);
  const std::vector<double>& angles = order.sites[0].geometry.angles;
  const double ends = (angles.front() + angles.back()) * 180 / std::numbers::pi;
  expect_one(order, "xrf-1",
             fmt::format("in the opposite order (reverse_angles = true and angle_offset = "
                         "\"{:.6g} deg\")",
                         -ends));
}

TEST(SiteComparisonTest, BlamesXrtIfAllOtherSitesAgree) {
  SimulatedSites s({"lopsided"});
  s.mirror(3);
  expect_one(s, "xrt", "contradicts that of the other sites");
}

TEST(SiteComparisonTest, FindsWeakElementOutsideOfMatter) {
  // Matter that XRF does not see, and a speck of an element at one end of it.
  SimulatedSites s({"paper", 40, 40, 0.0});
  const Geometry& g = s.sites[0].geometry;
  Block body(g.pixels(), 1);
  Block speck(g.pixels(), 1);
  for (std::size_t row = 4; row < 18; ++row) {
    for (std::size_t column = 14; column < 26; ++column) body(row * 40 + column, 0) = 100;
  }
  speck(6 * 40 + 20, 0) = speck(6 * 40 + 21, 0) = 1;
  std::vector<Site> sites{s.sites[0], s.sites[3]};
  std::vector<SiteData> data(2);
  data[0].values = project(g, speck);
  data[1].values = project(g, body);
  for (std::size_t i = 0; i < 2; ++i) {
    Random random(3, i);
    add_gaussian_noise(0.02, random, data[i].values);
  }
  EXPECT_TRUE(compare_sites(sites, data).empty());
  for (double& angle : sites[0].geometry.angles) angle += std::numbers::pi;
  const std::vector<SiteWarning> warnings = compare_sites(sites, data);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].site, 0u);
  EXPECT_NE(warnings[0].text.find("xrt"), std::string::npos) << warnings[0].text;
}

TEST(SiteComparisonTest, AcceptsElementBesideMatterThatXrfDoesNotSee) {
  // XRT alone would prefer the element on the other side, where most of the matter is.
  SimulatedSites s({"paper", 40, 40, 0.0});
  std::vector<Site> sites{s.sites[0], s.sites[3]};
  sites[0].coefficient = 1;
  const Geometry& g = sites[0].geometry;
  Block element(g.pixels(), 1);
  Block matter(g.pixels(), 1);
  for (std::size_t row = 15; row < 25; ++row) {
    for (std::size_t column = 4; column < 14; ++column) {
      element(row * 40 + column, 0) = matter(row * 40 + column, 0) = 10;
      matter(row * 40 + 39 - column, 0) = 50;
    }
  }
  std::vector<SiteData> data(2);
  data[0].values = project(g, element);
  data[1].values = project(g, matter);
  for (std::size_t i = 0; i < 2; ++i) {
    Random random(3, i);
    add_gaussian_noise(0.02, random, data[i].values);
  }
  for (const SiteWarning& warning : compare_sites(sites, data)) ADD_FAILURE() << warning.text;
}

}  // namespace
}  // namespace firm
