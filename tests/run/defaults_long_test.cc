// The defaults over five kinds of objects, noise of 0.5 to 10 % and 15 to 90 angles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run/ratios.h"

namespace firm {
namespace {

TEST(Defaults, AreNotWorseOnAnyObjectAndBetterOnAverage) {
  std::vector<ObjectOptions> cases;
  for (const std::string& kind : object_kinds()) {
    for (const double noise : {0.005, 0.01, 0.02, 0.05, 0.1}) {
      for (const int angles : {15, 30, 45, 90}) {
        cases.push_back({.kind = kind, .size = 128, .angles = angles, .noise = noise, .seed = 2});
      }
    }
  }
  const Ratios ratios = joint_over_alone(cases);
  fmt::print("joint / alone: mean {:.3f}, worst {:.3f} ({})\n", ratios.mean, ratios.worst,
             ratios.worst_case);
  EXPECT_LE(ratios.worst, 1.05) << ratios.worst_case;
  EXPECT_LE(ratios.mean, 0.9);
}

}  // namespace
}  // namespace firm
