// The defaults over eight kinds of objects, noise of 0.5 to 10 % and 15 to 90 angles, with sites
// that are equally accurate, and with sites that are not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "run/ratios.h"

namespace firm {
namespace {

void print(const char* what, const Ratios& r) {
  fmt::print("{}: joint / alone: mean {:.3f}, worst {:.3f} ({}), {} of {} above 1.05\n", what,
             r.mean, r.worst, r.worst_case, r.above.size(), r.count);
  for (const std::string& text : r.above) fmt::print("  {}\n", text);
}

TEST(Defaults, AreNotWorseOnAnyObjectAndBetterOnAverage) {
  std::vector<ObjectOptions> cases;
  for (const std::string& kind : object_kinds()) {
    for (const double noise : {0.005, 0.02, 0.05, 0.1}) {
      for (const int angles : {15, 30, 90}) {
        cases.push_back({.kind = kind, .size = 128, .angles = angles, .noise = noise, .seed = 2});
      }
    }
  }
  const Ratios ratios = joint_over_alone(cases);
  print("equally accurate", ratios);
  EXPECT_LE(ratios.worst, 1.05) << ratios.worst_case;
  EXPECT_LE(ratios.mean, 0.9);
}

// The second and third site are `weak` times as noisy as the first (up to 10 %), XRT `xrt` times;
// every second sigma is estimated. Noise and number of angles change from case to case.
std::vector<ObjectOptions> cases_of(double weak, double xrt) {
  constexpr double kNoise[] = {0.005, 0.02, 0.05, 0.1};
  constexpr int kAngles[] = {15, 30, 60, 90, 45};
  std::vector<ObjectOptions> cases;
  std::size_t n = 0;
  for (const std::string& kind : object_kinds()) {
    for (int repeat = 0; repeat < 2; ++repeat, ++n) {
      ObjectOptions o{.kind = kind, .size = 64, .xrt_noise = xrt, .weak_noise = weak};
      o.noise = std::max(0.005, kNoise[(n + n / 4) % 4] / weak);
      o.angles = kAngles[n % 5];
      o.estimate = n % 2 == 1;
      o.seed = 100 + n;
      cases.push_back(o);
    }
  }
  return cases;
}

// Nearly all images are at most 5 % farther from the truth than alone. Exceptions are mostly
// images of an accurate XRT, which is hard to improve on.
void expect_hardly_worse(const char* what, double weak, double xrt, double worst, double mean) {
  const Ratios ratios = joint_over_alone(cases_of(weak, xrt));
  print(what, ratios);
  EXPECT_LE(ratios.worst, worst) << ratios.worst_case;
  EXPECT_LE(ratios.above.size(), ratios.count / 25);
  EXPECT_LE(ratios.mean, mean);
}

TEST(Defaults, AreHardlyWorseBesideAccurateXrt) {
  expect_hardly_worse("XRT 3 times as accurate", 1, 1.0 / 3, 1.1, 0.9);
  expect_hardly_worse("XRT 10 times as accurate", 1, 0.1, 1.1, 0.9);
}

TEST(Defaults, AreHardlyWorseBesideNoisySites) {
  expect_hardly_worse("weak sites 4 times as noisy", 4, 1, 1.1, 0.95);
  expect_hardly_worse("weak sites 12 times as noisy", 12, 1, 1.1, 0.9);
  expect_hardly_worse("weak sites 4 times as noisy, XRT 3 times as accurate", 4, 1.0 / 3, 1.1, 0.9);
}

}  // namespace
}  // namespace firm
