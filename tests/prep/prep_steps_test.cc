// Compares each correction of values with a slow or analytic reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "prep/sinogram.h"
#include "prep/steps/dead_beamlets.h"
#include "prep/steps/normalize.h"
#include "prep/steps/rings.h"
#include "prep/steps/transmission.h"
#include "prep/steps/zingers.h"

namespace firm {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Sinogram random_sinogram(std::size_t angles, std::size_t beamlets, std::size_t slices, float low,
                         float high) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(low, high);
  Block block(angles * beamlets, slices);
  for (float& v : block.values()) v = value(random);
  return {beamlets, std::move(block)};
}

// ---- marks

TEST(SinogramMarks, KeepTheFirstReason) {
  Sinogram s = random_sinogram(3, 4, 2, 0, 1);
  s.value(5) = kNan;
  s.mark(5, Flaw::kSaturated);
  s.value(14) = std::numeric_limits<float>::infinity();
  mark_not_finite(s);
  EXPECT_EQ(s.flaws[5], Flaw::kSaturated);
  EXPECT_EQ(s.count(Flaw::kNotFinite), 1u);
  EXPECT_EQ(s.unusable(), 2u);
  EXPECT_EQ(flaw_text(s, Flaw::kNotFinite, "bad ones"),
            "1 bad ones, the first inf in slice 0, angle 1, beamlet 3");
}

TEST(SinogramMarks, AreInterpolatedAlongTheRow) {
  Block block(2 * 5, 1);
  std::copy_n(std::vector<float>{9, 1, 9, 9, 4, 9, 9, 9, 9, 9}.begin(), 10, block.data());
  Sinogram s(5, std::move(block));
  for (const std::size_t k : {0u, 2u, 3u, 5u, 6u, 7u, 8u, 9u}) s.mark(k, Flaw::kZinger);
  EXPECT_EQ(filled_slice(s, 0), (std::vector<float>{1, 1, 2, 3, 4, 0, 0, 0, 0, 0}));
  s.flaws[7] = Flaw::kNone;
  EXPECT_EQ(filled_slice(s, 0), (std::vector<float>{1, 1, 2, 3, 4, 9, 9, 9, 9, 9}));
}

// ---- zingers

// The definition of mark_zingers, literally.
std::vector<bool> zingers_by_definition(const Sinogram& s, std::size_t slice, double threshold) {
  const auto rows = static_cast<int>(s.angles);
  const auto columns = static_cast<int>(s.beamlets);
  std::vector<double> medians;
  for (int a = 0; a < rows; ++a) {
    for (int x = 0; x < columns; ++x) {
      std::vector<double> around;
      for (int da = -1; da <= 1; ++da) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (a + da < 0 || a + da >= rows || x + dx < 0 || x + dx >= columns) continue;
          const std::size_t k =
              s.index(static_cast<std::size_t>(a + da), static_cast<std::size_t>(x + dx), slice);
          if (s.usable(k)) around.push_back(s.value(k));
        }
      }
      std::sort(around.begin(), around.end());
      const std::size_t n = around.size();
      medians.push_back((around[(n - 1) / 2] + around[n / 2]) / 2);
    }
  }
  double mean = 0;
  for (const double m : medians) mean += std::abs(m) / static_cast<double>(medians.size());
  std::vector<bool> marked;
  for (std::size_t ray = 0; ray < medians.size(); ++ray) {
    const double v = s.value(ray * s.slices() + slice);
    marked.push_back(std::abs(v - medians[ray]) >
                     threshold * std::max(std::abs(medians[ray]), mean));
  }
  return marked;
}

TEST(Zingers, AreMarkedAsDefined) {
  Sinogram s = random_sinogram(8, 9, 2, -1, 3);
  s.value(s.index(0, 0, 1)) = 50;
  s.value(s.index(4, 8, 1)) = 50;
  s.value(s.index(5, 3, 0)) = -50;
  const double threshold = 1.7;
  const Sinogram before = s;
  mark_zingers(threshold, s);
  for (std::size_t z = 0; z < 2; ++z) {
    const std::vector<bool> expected = zingers_by_definition(before, z, threshold);
    EXPECT_GT(std::ranges::count(expected, true), 1);
    for (std::size_t ray = 0; ray < expected.size(); ++ray) {
      EXPECT_EQ(!s.usable(ray * 2 + z), expected[ray]) << ray;
    }
  }
  EXPECT_EQ(s.flaws[s.index(4, 8, 1)], Flaw::kZinger);
  EXPECT_EQ(s.value(s.index(4, 8, 1)), 50.0f);  // values stay unchanged
}

// Most of an XRF map is near 0, where the median is no measure of a large value.
TEST(Zingers, IgnoreNoiseOfAnEmptyMap) {
  Sinogram s = random_sinogram(20, 30, 1, -0.01f, 0.01f);
  for (std::size_t a = 0; a < 20; ++a) {
    for (std::size_t x = 10; x < 20; ++x) s.value(s.index(a, x, 0)) += 5;
  }
  s.value(s.index(7, 2, 0)) = 60;
  mark_zingers(5, s);
  EXPECT_EQ(s.count(Flaw::kZinger), 1u);
  EXPECT_FALSE(s.usable(s.index(7, 2, 0)));
  Sinogram zero(3, Block(9, 1));
  zero.value(4) = 1;
  mark_zingers(5, zero);
  EXPECT_EQ(zero.unusable(), 0u);
}

TEST(Zingers, IgnoreMarkedNeighbours) {
  Sinogram s = random_sinogram(3, 3, 1, 1, 1);
  for (const std::size_t k : {0u, 1u, 2u, 3u, 5u}) {
    s.value(k) = 1000;
    s.mark(k, Flaw::kSaturated);
  }
  s.value(4) = 1000;
  mark_zingers(3, s);
  EXPECT_EQ(s.flaws[4], Flaw::kZinger);
}

// ---- normalization

TEST(Normalize, AveragesFramesByMeanOrMedian) {
  Block frames(3 * 2, 1);
  std::copy_n(std::vector<float>{1, 10, 2, 20, 90, kNan}.begin(), 6, frames.data());
  EXPECT_EQ(average_frame(frames, 2, false), (std::vector<double>{31, 15}));
  EXPECT_EQ(average_frame(frames, 2, true), (std::vector<double>{2, 15}));
  std::ranges::fill(frames.values(), kNan);
  EXPECT_TRUE(std::isnan(average_frame(frames, 2, false)[0]));
}

TEST(Normalize, DividesByWhiteAndDark) {
  Sinogram s = random_sinogram(3, 4, 2, 100, 200);
  const Sinogram raw = s;
  std::vector<double> white(8);
  std::vector<double> dark(8);
  std::iota(white.begin(), white.end(), 300.0);
  std::iota(dark.begin(), dark.end(), 5.0);
  dark[3] = 500;  // beamlet 1 of slice 1
  divide_by_white(white, dark, s);
  EXPECT_EQ(s.count(Flaw::kNoBeam), 3u);
  for (std::size_t k = 0; k < s.size(); ++k) {
    const std::size_t at = k % 8;
    EXPECT_EQ(s.usable(k), at != 3);
    const double expected = (raw.value(k) - dark[at]) / (white[at] - dark[at]);
    EXPECT_FLOAT_EQ(s.value(k), at == 3 ? raw.value(k) : static_cast<float>(expected));
  }
}

TEST(Normalize, DividesByTheMonitorOfEachPoint) {
  Sinogram s = random_sinogram(3, 4, 1, 100, 200);
  const Sinogram raw = s;
  Block monitor = random_sinogram(3, 4, 1, 1000, 3000).values;
  monitor(2, 0) = 0;
  monitor(5, 0) = kNan;
  divide_by_monitor(monitor, std::vector<double>(4, 10.0), s);
  EXPECT_EQ(s.count(Flaw::kNoBeam), 2u);
  EXPECT_FLOAT_EQ(s.value(7), (raw.value(7) - 10) / monitor(7, 0));
}

TEST(Normalize, KeepsTheUnitOfFluorescence) {
  Sinogram s(3, Block(6, 1));
  Block monitor(6, 1);
  std::copy_n(std::vector<float>{50, 100, 200, 50, 0, 100}.begin(), 6, monitor.data());
  for (std::size_t k = 0; k < 6; ++k) s.value(k) = 3 * monitor.data()[k];  // a map of 3s
  relate_to_monitor(monitor, 100, s);
  EXPECT_EQ(s.count(Flaw::kNoBeam), 1u);
  for (const std::size_t k : {0u, 1u, 2u, 3u, 5u}) EXPECT_FLOAT_EQ(s.value(k), 300.0f);
}

TEST(Normalize, DividesByTheLineThroughAir) {
  constexpr std::size_t kBeamlets = 20;
  Sinogram s = random_sinogram(4, kBeamlets, 2, 0.1f, 0.9f);
  for (std::size_t k = 0; k < s.size(); ++k) {
    const std::size_t x = k / 2 % kBeamlets;
    if (x < 3 || x >= kBeamlets - 3) s.value(k) = 1;
  }
  const Sinogram clean = s;
  for (std::size_t k = 0; k < s.size(); ++k) {
    const auto x = static_cast<double>(k / 2 % kBeamlets);
    const auto row = static_cast<double>(k / 2 / kBeamlets);
    s.value(k) *= static_cast<float>((2 + row) * (1 - 0.01 * x));  // I0 that jumps and is tilted
  }
  s.value(s.index(1, 1, 0)) = 1e9f;  // to be ignored
  s.mark(s.index(1, 1, 0), Flaw::kZinger);
  divide_by_air(3, s);
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (!s.usable(k)) continue;
    EXPECT_NEAR(s.value(k), clean.value(k), 1e-6);
  }
}

TEST(Normalize, MarksRowsWithoutAir) {
  Sinogram s = random_sinogram(3, 6, 1, 1, 1);
  for (const std::size_t x : {0u, 5u}) {
    s.value(s.index(0, x, 0)) = -1;
    s.mark(s.index(1, x, 0), Flaw::kDead);
  }
  s.mark(s.index(2, 0, 0), Flaw::kDead);
  s.value(s.index(2, 5, 0)) = 4;
  divide_by_air(1, s);
  EXPECT_EQ(s.count(Flaw::kNoBeam), 6u + 4u);
  EXPECT_FLOAT_EQ(s.value(s.index(2, 2, 0)), 0.25f);  // only the other end
}

// ---- transmissions

TEST(Transmission, IsClippedAndCounted) {
  Sinogram s(6, Block(6, 1));
  std::copy_n(std::vector<float>{-1, 0, 0.5f, 1, 2, 3}.begin(), 6, &s.value(0));
  s.mark(5, Flaw::kZinger);
  const Clipped clipped = clip(0.25, 1.0, s);
  EXPECT_EQ(clipped.low, 2u);
  EXPECT_EQ(clipped.high, 1u);
  EXPECT_EQ(s.value(0), 0.25f);
  EXPECT_EQ(s.value(4), 1.0f);
  EXPECT_EQ(s.value(5), 3.0f);
  EXPECT_EQ(clip({}, {}, s).low, 0u);
}

TEST(Transmission, MarksValuesWithoutLogarithm) {
  Sinogram s(4, Block(4, 1));
  std::copy_n(std::vector<float>{0.5f, 0, -2, std::numeric_limits<float>::infinity()}.begin(), 4,
              &s.value(0));
  take_logarithm(s);
  EXPECT_FLOAT_EQ(s.value(0), static_cast<float>(std::log(2.0)));
  EXPECT_EQ(s.count(Flaw::kNotPositive), 3u);
  EXPECT_EQ(s.value(2), -2.0f);
}

// ---- dead beamlets

TEST(DeadBeamlets, NeverChange) {
  Sinogram s = random_sinogram(4, 5, 2, 1, 2);
  std::vector<Stuck> stuck(5 * 2, Stuck::kNo);
  stuck[3 * 2 + 1] = Stuck::kAtValue;
  stuck[0] = Stuck::kAtZero;
  EXPECT_EQ(dead_beamlets(s, stuck, true).size(), 2u);
  const auto dead = dead_beamlets(s, stuck, false);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].beamlet, 3u);
  EXPECT_EQ(dead[0].slice, 1u);
  mark_dead(dead, s);
  EXPECT_EQ(s.count(Flaw::kDead), 4u);
  EXPECT_TRUE(dead_beamlets(s, stuck, false).empty());  // marked already
  EXPECT_TRUE(
      dead_beamlets(random_sinogram(2, 5, 2, 3, 3), stuck, true).empty());  // too few angles
}

// ---- rings

// The algorithm of the paper, column by column, for an odd window within the row.
std::vector<float> sorted_and_smoothed(const Sinogram& s, std::size_t half) {
  std::vector<float> result(s.size());
  std::vector<std::vector<std::pair<float, std::size_t>>> columns(s.beamlets);
  for (std::size_t x = 0; x < s.beamlets; ++x) {
    for (std::size_t a = 0; a < s.angles; ++a) {
      columns[x].emplace_back(s.value(s.index(a, x, 0)), a);
    }
    std::sort(columns[x].begin(), columns[x].end());
  }
  for (std::size_t x = half; x + half < s.beamlets; ++x) {
    for (std::size_t rank = 0; rank < s.angles; ++rank) {
      std::vector<float> around;
      for (std::size_t n = x - half; n <= x + half; ++n) around.push_back(columns[n][rank].first);
      std::sort(around.begin(), around.end());
      result[s.index(columns[x][rank].second, x, 0)] = around[half];
    }
  }
  return result;
}

TEST(Rings, AreRemovedBySorting) {
  Sinogram s = random_sinogram(12, 15, 1, 0, 1);
  const std::vector<float> expected = sorted_and_smoothed(s, 2);
  remove_rings(5, s);
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t x = 2; x < 13; ++x) {
      EXPECT_EQ(s.value(s.index(a, x, 0)), expected[s.index(a, x, 0)]);
    }
  }
}

TEST(Rings, KeepValuesWithoutRings) {
  Sinogram s(30, Block(40 * 30, 2));
  for (std::size_t k = 0; k < s.size(); ++k) s.value(k) = static_cast<float>(k / 2 / 30);
  const Sinogram before = s;
  remove_rings(9, s);
  EXPECT_TRUE(std::ranges::equal(s.values.values(), before.values.values()));
}

// Removes the stripe of a beamlet beside a dead one, which stays masked.
TEST(Rings, IgnoreMaskedBeamlets) {
  const std::size_t angles = 60;
  const std::size_t beamlets = 50;
  Sinogram s(beamlets, Block(angles * beamlets, 1));
  for (std::size_t a = 0; a < angles; ++a) {
    for (std::size_t x = 0; x < beamlets; ++x) {
      const double t = static_cast<double>(x) - 25 - 5 * std::sin(0.1 * static_cast<double>(a));
      s.value(s.index(a, x, 0)) = static_cast<float>(10 * std::exp(-t * t / 800));
    }
  }
  const Sinogram clean = s;
  for (std::size_t a = 0; a < angles; ++a) {
    s.value(s.index(a, 20, 0)) += 2;
    s.value(s.index(a, 21, 0)) = 1e6f;
    s.mark(s.index(a, 21, 0), Flaw::kDead);
  }
  remove_rings(7, s);
  double worst = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (s.usable(k)) worst = std::max(worst, std::abs(double{s.value(k)} - clean.value(k)));
  }
  EXPECT_LT(worst, 1.0);  // of the stripe's 2
  double stripe = 0;
  for (std::size_t a = 0; a < angles; ++a) {
    stripe += (s.value(s.index(a, 20, 0)) - clean.value(s.index(a, 20, 0))) / angles;
    EXPECT_EQ(s.value(s.index(a, 21, 0)), 1e6f);
  }
  EXPECT_LT(std::abs(stripe), 0.5);
}

}  // namespace
}  // namespace firm
