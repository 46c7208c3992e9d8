// Total variation on objects without edges: images must not suffer.
#include <gtest/gtest.h>

#include "run/ratios.h"

namespace firm {
namespace {

TEST(PriorOfSmoothObjects, IsCloserToTruthAtEverySite) {
  std::vector<ObjectOptions> cases;
  for (const std::string kind : {"smooth", "gradients"}) {
    for (const int angles : {15, 45}) {
      cases.push_back({.kind = kind, .size = 32, .angles = angles, .noise = 0.05, .seed = 3});
    }
  }
  const Ratios ratios = prior_over_none(cases);
  EXPECT_LT(ratios.worst, 1) << ratios.worst_case;
  EXPECT_LT(ratios.mean, 0.85);
}

}  // namespace
}  // namespace firm
