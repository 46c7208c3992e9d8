// Vectors in fixed point: rounding, range, and sums that do not depend on order.
#include "federation/sums/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "federation/tree_sum.h"

namespace firm {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint32_t> words_of(const std::vector<float>& values, int fraction_bits,
                                    std::size_t sites = 1) {
  std::vector<std::uint32_t> words(values.size());
  EXPECT_FALSE(encode(values, fraction_bits, sites, words));
  return words;
}

std::vector<float> values_of(const std::vector<std::uint32_t>& words, int fraction_bits) {
  std::vector<float> values(words.size());
  decode(words, fraction_bits, values);
  return values;
}

TEST(FixedPoint, RoundsToNearestTiesToEven) {
  const std::vector<float> values = {0.5F,  1.5F,  2.5F,  -0.5F, -1.5F,       -2.5F,
                                     0.49F, 0.51F, -0.0F, 3,     0.49999997F, -7.75F};
  const std::vector<float> rounded = {0, 2, 2, 0, -2, -2, 0, 1, 0, 3, 0, -8};
  EXPECT_EQ(values_of(words_of(values, 0), 0), rounded);
  EXPECT_FALSE(std::signbit(values_of(words_of({-0.0F}, 0), 0)[0]));
  EXPECT_EQ(words_of({1, -1}, 4), (std::vector<std::uint32_t>{16, 0xfffffff0}));
  EXPECT_EQ(words_of({1024, -1024}, -10), (std::vector<std::uint32_t>{1, 0xffffffff}));
}

// Compares the fast loop with the definition, over all exponents of floats that fit.
TEST(FixedPoint, MatchesDefinition) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> part(-1, 1);
  for (const int f : {kLeastFractionBits, -31, 0, 7, 23, 100, kMostFractionBits}) {
    std::vector<float> values(1003);
    for (float& x : values) {
      x = std::ldexp(part(random), 31 - f - static_cast<int>(random() % 64));
      if (!std::isfinite(x)) x = 0;
    }
    const std::vector<std::uint32_t> words = words_of(values, f);
    const std::vector<float> back = values_of(words, f);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double y = std::nearbyint(std::ldexp(static_cast<double>(values[k]), f));
      ASSERT_EQ(static_cast<std::int32_t>(words[k]), static_cast<std::int64_t>(y)) << values[k];
      ASSERT_EQ(back[k], static_cast<float>(std::ldexp(y, -f)));
    }
  }
}

TEST(FixedPoint, HoldsMultiplesOfItsUnitExactly) {
  std::mt19937 random(2);
  std::vector<float> values(10'000);
  for (float& x : values)
    x = static_cast<float>(static_cast<int>(random() % (1 << 25)) - (1 << 24));
  for (float& x : values) x = std::ldexp(x, -17);
  EXPECT_EQ(values_of(words_of(values, 17), 17), values);
  EXPECT_EQ(values_of(words_of({1e-45F, -1e-45F}, kMostFractionBits), kMostFractionBits),
            (std::vector<float>{1e-45F, -1e-45F}));
}

TEST(FixedPoint, ReportsFirstValueThatDoesNotFit) {
  for (const std::size_t sites : {1U, 2U, 3U, 7U, 30U, 128U}) {
    for (const int f : {-60, 0, 20, 100}) {
      // The smallest float with |x| 2^f sites >= 2^31.
      float large = static_cast<float>(2147483648.0 / static_cast<double>(sites));
      while (static_cast<double>(large) * static_cast<double>(sites) >= 2147483648.0) {
        large = std::nextafter(large, 0.0F);
      }
      large = std::nextafter(large, kInfinity);
      const float small = std::ldexp(std::nextafter(large, 0.0F), -f);
      large = std::ldexp(large, -f);
      for (const float sign : {1.0F, -1.0F}) {
        std::vector<std::uint32_t> words(3);
        EXPECT_FALSE(encode(std::vector{0.0F, sign * small, small}, f, sites, words));
        const auto overflow = encode(std::vector{0.0F, sign * large, large}, f, sites, words);
        ASSERT_TRUE(overflow) << sites << " sites, " << f;
        EXPECT_EQ(overflow->index, 1u);
        EXPECT_EQ(overflow->value, sign * large);
      }
    }
  }
}

// 2^31 / 1000 = 2147483.648: 2147483.5 is below, but its rounded value is not. 2^31 / 1300 =
// 1651910.498: 1651910.5 is above, though its rounded value is not.
TEST(FixedPoint, ChecksRangeBeforeAndAfterRounding) {
  std::vector<std::uint32_t> words(1);
  EXPECT_TRUE(encode(std::vector{2147483.5F}, 0, 1000, words));
  EXPECT_FALSE(encode(std::vector{2147483.25F}, 0, 1000, words));
  EXPECT_TRUE(encode(std::vector{1651910.5F}, 0, 1300, words));
  EXPECT_FALSE(encode(std::vector{1651910.375F}, 0, 1300, words));
}

TEST(FixedPoint, ReportsNanAndInfinityAtAnyPlace) {
  for (std::size_t size = 1; size <= 35; ++size) {
    for (std::size_t where = 0; where < size; ++where) {
      for (const float bad : {kNan, -kNan, kInfinity, -kInfinity}) {
        std::vector<float> values(size, 0.25F);
        values[where] = bad;
        std::vector<std::uint32_t> words(size);
        const auto overflow = encode(values, 8, 3, words);
        ASSERT_TRUE(overflow);
        ASSERT_EQ(overflow->index, where);
        ASSERT_FALSE(std::isfinite(overflow->value));
      }
    }
  }
}

TEST(FixedPoint, SumsIgnoreOrderAndGrouping) {
  constexpr std::size_t kSites = 30;
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 0.3F);
  std::vector<std::vector<std::uint32_t>> shares;
  std::vector<std::int64_t> sum(101);
  const int f = fraction_bits_for(2, kSites);
  for (std::size_t site = 0; site < kSites; ++site) {
    std::vector<float> values(sum.size());
    for (float& x : values) x = normal(random);
    shares.push_back(words_of(values, f, kSites));
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += static_cast<std::int32_t>(shares.back()[k]);
    }
  }
  for (int tree = 0; tree < 100; ++tree) {
    const std::vector<std::uint32_t> words = tree_sum(shares, random);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      ASSERT_EQ(static_cast<std::int32_t>(words[k]), sum[k]);
    }
  }
}

TEST(FixedPoint, SumsOfLargestValuesDoNotWrap) {
  for (const std::size_t sites : {2U, 3U, 30U, 128U}) {
    float x = static_cast<float>(2147483648.0 / static_cast<double>(sites));
    std::vector<std::uint32_t> words(2);
    while (encode(std::vector{x, -x}, 0, sites, words)) x = std::nextafter(x, 0.0F);
    std::vector<std::uint32_t> sum(2);
    for (std::size_t k = 0; k < sites; ++k) add(words, sum);
    EXPECT_EQ(static_cast<std::int32_t>(sum[0]),
              static_cast<double>(x) * static_cast<double>(sites));
    EXPECT_EQ(static_cast<std::int32_t>(sum[1]), -static_cast<std::int32_t>(sum[0]));
  }
}

TEST(FixedPoint, ChoosesMostFractionBitsWithOneToSpare) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> exponent(-80, 120);
  for (int k = 0; k < 1000; ++k) {
    const double largest = std::exp2(exponent(random));
    const std::size_t sites = 1 + random() % 30;
    const int f = fraction_bits_for(largest, sites);
    const double sum = largest * static_cast<double>(sites);
    EXPECT_LT(std::ldexp(sum, f), std::ldexp(1.0, 30));
    EXPECT_GE(std::ldexp(sum, f + 1), std::ldexp(1.0, 30));
    std::vector<std::uint32_t> words(1);
    EXPECT_FALSE(encode(std::vector{static_cast<float>(1.9 * largest)}, f, sites, words));
  }
  EXPECT_EQ(fraction_bits_for(1, 1), 29);  // 2^29 < 2^30
  EXPECT_EQ(fraction_bits_for(std::nextafter(1.0, 0.0), 1), 30);
  EXPECT_EQ(fraction_bits_for(0, 3), kMostFractionBits);
  EXPECT_EQ(fraction_bits_for(1e-310, 3), kMostFractionBits);
  EXPECT_EQ(fraction_bits_for(1e-45, 3), kMostFractionBits);
  EXPECT_EQ(fraction_bits_for(1e300, kMostSites), kLeastFractionBits);
  std::vector<std::uint32_t> words(1);
  for (const std::size_t sites : {std::size_t{1}, std::size_t{30}, kMostSites}) {
    const int f = fraction_bits_for(1e300, sites);
    EXPECT_FALSE(encode(std::vector{std::numeric_limits<float>::max()}, f, sites, words));
  }
}

TEST(FixedPoint, ChecksItsArguments) {
  std::vector<float> values(2);
  std::vector<std::uint32_t> words(3);
  EXPECT_THROW((void)encode(values, 0, 1, words), std::logic_error);
  EXPECT_THROW(decode(words, 0, values), std::logic_error);
  EXPECT_THROW(add(std::vector<std::uint32_t>(2), words), std::logic_error);
  words.resize(2);
  EXPECT_THROW((void)encode(values, 0, 0, words), std::logic_error);
  EXPECT_THROW((void)encode(values, kMostFractionBits + 1, 1, words), std::logic_error);
  EXPECT_THROW(decode(words, kLeastFractionBits - 1, values), std::logic_error);
  EXPECT_THROW(fraction_bits_for(kNan, 1), std::logic_error);
  EXPECT_THROW(fraction_bits_for(-1, 1), std::logic_error);
}

}  // namespace
}  // namespace firm
