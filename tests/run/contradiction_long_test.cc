// How often sites notice that another one has wrong data, and that nothing is wrong: the tables of
// docs/method.md, "Sites that contradict each other".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "firm/reconstruct.h"
#include "physics/noise.h"
#include "support/test_objects.h"

namespace firm {
namespace {

// --- good studies

struct Alarms {
  int studies = 0;
  int sites = 0;
  std::vector<std::string> texts = {};
};

void judge(const ObjectOptions& o, const SolveOptions& options, Alarms& alarms) {
  const Summary s = reconstruct(measure_object(o).study, options).summary;
  ++alarms.studies;
  for (const SiteSummary& site : s.sites) {
    ++alarms.sites;
    if (!site.contradicted()) continue;
    alarms.texts.push_back(
        fmt::format("{}, {} angles, noise {}{}, seed {}, {}: fit {:.3f}, alone {:.3f}", o.kind,
                    o.angles, o.noise, o.estimate ? ", estimated" : "", o.seed, site.name,
                    *site.fit(), *site.fit_alone()));
  }
}

void print(const char* what, const Alarms& a) {
  fmt::print("{}: {} alarms at {} sites of {} studies\n", what, a.texts.size(), a.sites, a.studies);
  for (const std::string& text : a.texts) fmt::print("  {}\n", text);
}

// Three seeds of every object and noise level; every second sigma is estimated.
std::vector<ObjectOptions> good_studies(double weak, double xrt, std::uint64_t seeds) {
  std::vector<ObjectOptions> cases;
  for (const std::string& kind : prior_object_kinds()) {
    for (const double noise : {0.005, 0.02, 0.05, 0.1}) {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        ObjectOptions o{.kind = kind, .size = 48, .angles = seed % 2 == 0 ? 15 : 40};
        o.noise = noise / weak;
        o.weak_noise = weak;
        o.xrt_noise = xrt;
        o.estimate = (cases.size() + seed) % 2 == 0;
        o.seed = seed;
        cases.push_back(o);
      }
    }
  }
  return cases;
}

void expect_no_alarm(const char* what, const std::vector<ObjectOptions>& cases,
                     const SolveOptions& options = {}) {
  Alarms alarms;
  for (const ObjectOptions& o : cases) judge(o, options, alarms);
  print(what, alarms);
  EXPECT_TRUE(alarms.texts.empty());
}

TEST(Contradiction, IsNotFoundInGoodStudies) {
  expect_no_alarm("equally accurate", good_studies(1, 1, 3));
}

TEST(Contradiction, IsNotFoundBesideSitesOfOtherAccuracy) {
  expect_no_alarm("XRT 3 times as accurate", good_studies(1, 1.0 / 3, 1));
  expect_no_alarm("weak sites 4 times as noisy", good_studies(4, 1, 1));
}

TEST(Contradiction, IsNotFoundInGoodStudiesByOtherMethods) {
  SolveOptions prior;
  prior.prior.kind = "tv";
  expect_no_alarm("with a prior", good_studies(1, 1, 1), prior);
  SolveOptions fedpgd;
  fedpgd.method = "fedpgd";
  expect_no_alarm("fedpgd", good_studies(1, 1, 1), fedpgd);
}

// --- wrong data at one site

using Change = std::function<void(Block& values, const Geometry& geometry)>;

Change times(float factor) {
  return [=](Block& values, const Geometry&) {
    for (float& value : values.values()) value *= factor;
  };
}

void mirror(Block& values, const Geometry& geometry) {
  const auto beamlets = static_cast<std::ptrdiff_t>(geometry.beamlets);
  for (auto row = values.values().begin(); row != values.values().end(); row += beamlets) {
    std::reverse(row, row + beamlets);
  }
}

void replace_by_chance(Block& values, const Geometry&) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(0, *std::ranges::max_element(values.values()));
  for (float& value : values.values()) value = any(random);
}

const std::vector<std::pair<std::string, Change>>& changes() {
  static const std::vector<std::pair<std::string, Change>> all = {
      {"x 10", times(10)},   {"x -1", times(-1)},  {"x 2", times(2)},
      {"x 0.5", times(0.5)}, {"mirrored", mirror}, {"random", replace_by_chance}};
  return all;
}

struct Found {
  int studies = 0;
  int noticed = 0;     // studies in which an honest site notices
  int honest_xrf = 0;  // that notice, of so many
  int all_xrf = 0;
  int honest_xrt = 0;
  int all_xrt = 0;
  int itself = 0;        // studies in which the wrong site notices
  double unnoticed = 0;  // how far the image of a site that does not notice has moved, at most
};

double moved(const Block& a, const Block& b, std::size_t column) {
  double difference = 0;
  double norm = 0;
  for (std::size_t p = 0; p < a.rows(); ++p) {
    difference += std::pow(a(p, column) - b(p, column), 2);
    norm += std::pow(b(p, column), 2);
  }
  return std::sqrt(difference / norm);
}

void spoil(Study& study, std::size_t wrong, const Change& change, bool estimate) {
  Block& values = study.data[wrong].values;
  const Geometry& geometry = study.sites[wrong].geometry;
  change(values, geometry);
  if (!estimate) return;
  study.sites[wrong].sigma =
      estimate_noise(values, {}, static_cast<std::size_t>(geometry.beamlets));
}

// A study, and its images as long as nothing is wrong.
struct Right {
  Study study;
  Block images;
  bool estimate = false;
};

std::vector<Right> right_studies(double noise) {
  std::vector<Right> all;
  for (const char* kind : {"paper", "gradients", "grains"}) {
    for (const bool estimate : {false, true}) {
      Study study =
          measure_object({.kind = kind, .size = 28, .noise = noise, .estimate = estimate}).study;
      Block images = reconstruct(study).images;
      all.push_back({std::move(study), std::move(images), estimate});
    }
  }
  return all;
}

void try_on(const Right& right, const Change& change, std::size_t wrong, Found& found) {
  Study study = right.study;
  spoil(study, wrong, change, right.estimate);
  const Solution solution = reconstruct(study);
  bool noticed = false;
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const bool sees = solution.summary.sites[i].missed();
    if (i == wrong) {
      found.itself += sees ? 1 : 0;
      continue;
    }
    const bool xrt = i + 1 == study.sites.size();
    (xrt ? found.all_xrt : found.all_xrf) += 1;
    (xrt ? found.honest_xrt : found.honest_xrf) += sees ? 1 : 0;
    noticed = noticed || sees;
    if (!sees) found.unnoticed = std::max(found.unnoticed, moved(solution.images, right.images, i));
  }
  ++found.studies;
  found.noticed += noticed ? 1 : 0;
}

using Table = std::map<std::string, Found>;

// `wrong`: place of the site.
Table spoilt_studies(double noise, std::size_t wrong) {
  const std::vector<Right> studies = right_studies(noise);
  Table table;
  for (const auto& [name, change] : changes()) {
    for (const Right& right : studies) try_on(right, change, wrong, table[name]);
  }
  fmt::print("noise {}, wrong data at {}:\n", noise, wrong == 3 ? "xrt" : "the second XRF site");
  for (const auto& [name, change] : changes()) {
    const Found& f = table.at(name);
    fmt::print(
        "  {:<9} studies {} of {}; XRF {} of {}, XRT {} of {}, itself {}; unnoticed moved {:.0f} "
        "%\n",
        name, f.noticed, f.studies, f.honest_xrf, f.all_xrf, f.honest_xrt, f.all_xrt, f.itself,
        100 * f.unnoticed);
  }
  return table;
}

TEST(Contradiction, IsFoundAtLowNoise) {
  for (const std::size_t wrong : {1, 3}) {
    for (const auto& [name, found] : spoilt_studies(0.01, wrong)) {
      EXPECT_LT(found.unnoticed, 0.25) << name << " at " << wrong;
      if (name == "random") continue;  // an estimated sigma takes them for noise
      EXPECT_EQ(found.noticed, found.studies) << name << " at " << wrong;
    }
  }
}

// Noise of 10 % hides much. The worst is found, if only by the site that is wrong.
TEST(Contradiction, IsFoundAtHighNoise) {
  for (const std::size_t wrong : {1, 3}) {
    for (const auto& [name, found] : spoilt_studies(0.1, wrong)) {
      if (name == "x 10" || name == "x -1") {
        EXPECT_EQ(std::max(found.noticed, found.itself), found.studies) << name << " at " << wrong;
      }
    }
  }
}

}  // namespace
}  // namespace firm
