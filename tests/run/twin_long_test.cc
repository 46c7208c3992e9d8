// The twin with everything on at full size: the table of docs/data.md, "A bad scan".
#include <gtest/gtest.h>

#include <cmath>

#include "run/twin.h"

namespace firm {
namespace {

TEST(WholeTwin, IsRefined) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SimulateOptions options = twin_options(250, seed);
    options.defects.jitter = 5;
    options.defects.drift = 3;
    options.defects.axis_offset = 4;
    options.defects.angle_error = 0.01;
    options.defects.lag = 7;
    options.defects.beam_drift = 0.05;
    options.defects.crosstalk = 0.1;
    const RefinedTwin twin = refine_twin(options, "shifts,axis,angles,lag,gain,scale", 0.1);
    EXPECT_LT(twin.shift_error(), 0.3) << seed;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(std::abs(twin.axis_error(i)), 0.5) << seed << " " << i;
      EXPECT_LT(std::abs(twin.axis_error(i)), 3 * twin.found.sites[i].axis->uncertainty);
    }
    for (const std::size_t i : {0, 1}) {
      if (!twin.found.sites[i].coupled) continue;  // said to be unknown
      EXPECT_NEAR(twin.scale_ratio(i), 1, 0.12) << seed << " " << i;
    }
    EXPECT_NEAR(twin.scan().angle_scale->value, 1.01, 0.005) << seed;
    EXPECT_NEAR(twin.found.sites[3].lag->value, 7, 1) << seed;
  }
}

}  // namespace
}  // namespace firm
