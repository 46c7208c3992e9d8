// Scalars in fixed point: rounding, range, and sums that do not depend on order.
#include "federation/sums/scalar_word.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "federation/tree_sum.h"

namespace firm {
namespace {

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

// Sums doubles with a single rounding: keeps partial sums without overlap (Shewchuk 1997), and
// corrects the largest when the rest is half a unit of it or more.
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

TEST(ScalarWord, HoldsDoublesExactly) {
  std::mt19937 random(5);
  for (const double x : doubles_of_all_sizes(10'000, random)) ASSERT_EQ(value_of(word_of(x)), x);
  const double exact[] = {0,         1,       -1,      42,
                          1e20,      -1e-30,  0x1p53,  0x1p-160,
                          -0x1p-160, 0x1p-97, 0x1p-96, std::nextafter(0x1p95, 0.0),
                          0x1p64,    0x1p-33, 0x1p31,  0x1.fffffffffffffp-108};
  for (const double x : exact) EXPECT_EQ(value_of(word_of(x)), x);
  EXPECT_FALSE(std::signbit(value_of(word_of(-0.0))));
}

TEST(ScalarWord, RoundsSmallValues) {
  EXPECT_EQ(value_of(word_of(0x1p-161)), 0);
  EXPECT_EQ(value_of(word_of(0x1.8p-160)), 0x1p-159);
  EXPECT_EQ(value_of(word_of(-0x1.4p-159)), -0x1p-159);
  EXPECT_EQ(value_of(word_of(0x1.00001p-161)), 0x1p-160);
  EXPECT_EQ(value_of(word_of(5e-324)), 0);
}

TEST(ScalarWord, RoundsSumOnceToNearest) {
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

// Values of similar size, whose sum a long double holds if it has 64 bits.
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

TEST(ScalarWord, ReportsFirstValueThatDoesNotFit) {
  std::vector<ScalarWord> words(3);
  for (const std::size_t sites : {1U, 2U, 3U, 7U, 30U}) {
    // With 64 bits of mantissa, the product of a double and a small integer is exact.
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

TEST(ScalarWord, WrapsModuloTwoToThe256) {
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
