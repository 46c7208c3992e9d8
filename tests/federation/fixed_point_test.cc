// Sums in integers: rounding, range, and independence of order.
#include "federation/sums/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "federation/sums/scalar_word.h"

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

ScalarWord word_of(double value) {
  ScalarWord word{};
  EXPECT_FALSE(encode(std::span(&value, 1), 1, std::span(&word, 1))) << value;
  return word;
}

double value_of(const ScalarWord& word) {
  double value = 0;
  decode(std::span(&word, 1), std::span(&value, 1));
  return value;
}

// Adds up in a random order and grouping, as a tree of sites and partial sums would.
template <typename Words>
Words tree_sum(std::vector<Words> parts, std::mt19937& random) {
  while (parts.size() > 1) {
    std::swap(parts[random() % parts.size()], parts.back());
    const Words last = std::move(parts.back());
    parts.pop_back();
    add(last, parts[random() % parts.size()]);
  }
  return parts.front();
}

TEST(FixedPoint, RoundsToTheNearestAndTiesToEven) {
  const std::vector<float> values = {0.5F,  1.5F,  2.5F,  -0.5F, -1.5F,       -2.5F,
                                     0.49F, 0.51F, -0.0F, 3,     0.49999997F, -7.75F};
  const std::vector<float> rounded = {0, 2, 2, 0, -2, -2, 0, 1, 0, 3, 0, -8};
  EXPECT_EQ(values_of(words_of(values, 0), 0), rounded);
  EXPECT_FALSE(std::signbit(values_of(words_of({-0.0F}, 0), 0)[0]));
  EXPECT_EQ(words_of({1, -1}, 4), (std::vector<std::uint32_t>{16, 0xfffffff0}));
  EXPECT_EQ(words_of({1024, -1024}, -10), (std::vector<std::uint32_t>{1, 0xffffffff}));
}

// The fast loop against the definition, over all sizes of floats that fit.
TEST(FixedPoint, IsWhatTheDefinitionSays) {
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

TEST(FixedPoint, CarriesMultiplesOfItsUnitWithoutError) {
  std::mt19937 random(2);
  std::vector<float> values(10'000);
  for (float& x : values)
    x = static_cast<float>(static_cast<int>(random() % (1 << 25)) - (1 << 24));
  for (float& x : values) x = std::ldexp(x, -17);
  EXPECT_EQ(values_of(words_of(values, 17), 17), values);
  EXPECT_EQ(values_of(words_of({1e-45F, -1e-45F}, kMostFractionBits), kMostFractionBits),
            (std::vector<float>{1e-45F, -1e-45F}));
}

TEST(FixedPoint, ReportsTheFirstValueThatDoesNotFitAndOnlyThat) {
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

// 2^31 / 1000 = 2147483.648: 2147483.5 is below, but what it is rounded to is not. 2^31 / 1300 =
// 1651910.498: 1651910.5 is above, though what it is rounded to is not.
TEST(FixedPoint, ReportsAValueThatIsOutOfRangeBeforeOrAfterRounding) {
  std::vector<std::uint32_t> words(1);
  EXPECT_TRUE(encode(std::vector{2147483.5F}, 0, 1000, words));
  EXPECT_FALSE(encode(std::vector{2147483.25F}, 0, 1000, words));
  EXPECT_TRUE(encode(std::vector{1651910.5F}, 0, 1300, words));
  EXPECT_FALSE(encode(std::vector{1651910.375F}, 0, 1300, words));
}

TEST(FixedPoint, ReportsWhatIsNoNumberWhereverItIs) {
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

TEST(FixedPoint, SumsDoNotDependOnOrderOrGrouping) {
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

TEST(FixedPoint, SumsOfTheLargestValuesDoNotWrap) {
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

TEST(FixedPoint, ChoosesTheMostFractionBitsWithOneToSpare) {
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

// The sum of doubles rounded once: partial sums without overlap (Shewchuk 1997), of which the
// largest is corrected when the rest is half a unit of it and more.
double exact_sum(const std::vector<double>& values) {
  std::vector<double> parts;
  for (double x : values) {
    std::vector<double> next;
    for (double y : parts) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) next.push_back(low);
      x = high;
    }
    next.push_back(x);
    parts = std::move(next);
  }
  double high = 0;
  double low = 0;
  while (!parts.empty() && low == 0) {
    const double before = high;
    high = before + parts.back();
    low = parts.back() - (high - before);
    parts.pop_back();
  }
  const bool beyond_half = !parts.empty() && (low < 0) == (parts.back() < 0) && low != 0;
  if (beyond_half && high + 2 * low - high == 2 * low) high += 2 * low;
  return high;
}

std::vector<double> doubles_of_all_sizes(std::size_t count, std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(std::log2(1e-30), std::log2(1e20));
  std::vector<double> values(count);
  for (double& x : values) x = std::exp2(exponent(random)) * (random() % 2 == 0 ? 1 : -1);
  return values;
}

TEST(ScalarWord, CarriesDoublesWithoutError) {
  std::mt19937 random(5);
  for (const double x : doubles_of_all_sizes(10'000, random)) ASSERT_EQ(value_of(word_of(x)), x);
  const double exact[] = {0,         1,       -1,      42,
                          1e20,      -1e-30,  0x1p53,  0x1p-160,
                          -0x1p-160, 0x1p-97, 0x1p-96, std::nextafter(0x1p95, 0.0),
                          0x1p64,    0x1p-33, 0x1p31,  0x1.fffffffffffffp-108};
  for (const double x : exact) EXPECT_EQ(value_of(word_of(x)), x);
  EXPECT_FALSE(std::signbit(value_of(word_of(-0.0))));
}

TEST(ScalarWord, RoundsWhatIsTooSmall) {
  EXPECT_EQ(value_of(word_of(0x1p-161)), 0);
  EXPECT_EQ(value_of(word_of(0x1.8p-160)), 0x1p-159);
  EXPECT_EQ(value_of(word_of(-0x1.4p-159)), -0x1p-159);
  EXPECT_EQ(value_of(word_of(0x1.00001p-161)), 0x1p-160);
  EXPECT_EQ(value_of(word_of(5e-324)), 0);
}

TEST(ScalarWord, RoundsTheSumOnceToTheNearest) {
  const auto sum = [](const std::vector<double>& values) {
    ScalarWord total{};
    for (const double x : values) add(word_of(x), total);
    return value_of(total);
  };
  constexpr double kNext = 1 + 0x1p-52;
  EXPECT_EQ(sum({1, 0x1p-53}), 1);                // a tie, to even
  EXPECT_EQ(sum({1, 0x1p-53, 0x1p-160}), kNext);  // above it
  EXPECT_EQ(sum({1, 0x1p-53, -0x1p-160}), 1);     // below it
  EXPECT_EQ(sum({kNext, 0x1p-53}), 1 + 0x1p-51);  // a tie, to even
  EXPECT_EQ(sum({-1, -0x1p-53, -0x1p-160}), -kNext);
  EXPECT_EQ(sum({1e20, 1e-30, -1e20}), 1e-30);
  EXPECT_EQ(sum({0x1p63, 0x1p-160}), 0x1p63);
}

TEST(ScalarWord, SumsAreExactInAnyOrder) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<double> values = doubles_of_all_sizes(30, random);
    const double expected = exact_sum(values);
    std::vector<ScalarWord> words(values.size());
    ASSERT_FALSE(encode(values, values.size(), words));
    ASSERT_EQ(value_of(tree_sum(words, random)), expected);
    ASSERT_EQ(value_of(tree_sum(words, random)), expected);
  }
}

// Values near each other, whose sum a long double holds where it has 64 bits.
TEST(ScalarWord, AgreesWithLongDouble) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP();
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    long double expected = 0;
    ScalarWord sum{};
    for (int k = 0; k < 30; ++k) {
      const double x = std::ldexp(static_cast<double>(random() >> 11), -60);
      expected += x;
      add(word_of(x), sum);
    }
    ASSERT_EQ(value_of(sum), static_cast<double>(expected));
  }
}

TEST(ScalarWord, ReportsTheFirstValueThatDoesNotFitAndOnlyThat) {
  std::vector<ScalarWord> words(3);
  for (const std::size_t sites : {1U, 2U, 3U, 7U, 30U}) {
    // In 64 bits of mantissa the product of a double by a small number is exact.
    const auto too_large = [&](double x) {
      return static_cast<long double>(x) * static_cast<long double>(sites) >= 0x1p95L;
    };
    double large = 0x1p95 / static_cast<double>(sites);
    while (too_large(large)) large = std::nextafter(large, 0.0);
    while (!too_large(large)) large = std::nextafter(large, 1e30);
    const double small = std::nextafter(large, 0.0);
    for (const double sign : {1.0, -1.0}) {
      EXPECT_FALSE(encode(std::vector{0.0, sign * small, small}, sites, words));
      const auto overflow = encode(std::vector{0.0, sign * large, large}, sites, words);
      ASSERT_TRUE(overflow);
      EXPECT_EQ(overflow->index, 1u);
      EXPECT_EQ(overflow->value, sign * large);
    }
  }
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, 1e300}) {
    const auto overflow = encode(std::vector{1.0, 2.0, bad}, 1, words);
    ASSERT_TRUE(overflow);
    EXPECT_EQ(overflow->index, 2u);
  }
}

TEST(ScalarWord, IsModuloTwoToThe256) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  ScalarWord sum = {kOnes, kOnes, kOnes, kOnes};
  add(ScalarWord{1}, sum);
  EXPECT_EQ(sum, ScalarWord{});
  add(ScalarWord{kOnes, kOnes, kOnes, kOnes}, sum);
  add(ScalarWord{kOnes, 0, kOnes, 5}, sum);
  EXPECT_EQ(sum, (ScalarWord{kOnes - 1, 0, kOnes, 5}));
  EXPECT_EQ(negated(ScalarWord{0, 0, 1, 0}), (ScalarWord{0, 0, kOnes, kOnes}));
  EXPECT_EQ(negated(ScalarWord{}), ScalarWord{});
  std::mt19937 random(8);
  for (const double x : doubles_of_all_sizes(100, random)) {
    ScalarWord zero = word_of(x);
    add(word_of(-x), zero);
    ASSERT_EQ(zero, ScalarWord{});
  }
}

}  // namespace
}  // namespace firm
