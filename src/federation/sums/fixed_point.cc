#include "federation/sums/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kLimit = 2147483648.0;  // 2^31

// Adding this to y, |y| < 2^51, rounds y to an integer and leaves it in the low bits of the sum, in
// two's complement: 2^52 moves the units into the last bit, another 2^51 does so for negative y.
constexpr double kUnits = 0x1.8p52;

// With the sign bit cleared, floats sort like their bits: finite < infinite < NaN.
constexpr std::int32_t kSignCleared = 0x7fffffff;

double power_of_two(int exponent) { return std::ldexp(1.0, exponent); }

bool bits_in_range(int fraction_bits) {
  return fraction_bits >= kLeastFractionBits && fraction_bits <= kMostFractionBits;
}

// Returns whether `sites` values of this size add up to less than 2^31, before and after rounding.
// The product is exact where it matters: 24 bits of a float, or 31 of an integer, times 22 of
// `sites`.
bool fits(double value, double scale, std::size_t sites) {
  const double scaled = std::abs(value) * scale;
  const double count = static_cast<double>(sites);
  return scaled * count < kLimit && std::nearbyint(scaled) * count < kLimit;  // false for NaN
}

}  // namespace

std::optional<Overflow> encode(std::span<const float> values, int fraction_bits, std::size_t sites,
                               std::span<std::uint32_t> words) {
  FIRM_CHECK(values.size() == words.size());
  FIRM_CHECK(bits_in_range(fraction_bits));
  FIRM_CHECK(sites >= 1 && sites <= kMostSites);
  const double scale = power_of_two(fraction_bits);
  std::int32_t largest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(values[k]) & kSignCleared);
    // In double, the product is exact and the sum rounds once, to the unit.
    const double y = static_cast<double>(values[k]) * scale + kUnits;
    words[k] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(y));
  }
  if (fits(std::bit_cast<float>(largest), scale, sites)) return std::nullopt;
  const auto bad = std::ranges::find_if(values, [&](float x) { return !fits(x, scale, sites); });
  return Overflow{static_cast<std::size_t>(bad - values.begin()), *bad};
}

void decode(std::span<const std::uint32_t> words, int fraction_bits, std::span<float> values) {
  FIRM_CHECK(values.size() == words.size());
  FIRM_CHECK(bits_in_range(fraction_bits));
  const double unit = power_of_two(-fraction_bits);
  for (std::size_t k = 0; k < words.size(); ++k) {
    values[k] = static_cast<float>(static_cast<std::int32_t>(words[k]) * unit);
  }
}

void add(std::span<const std::uint32_t> words, std::span<std::uint32_t> into) {
  FIRM_CHECK(words.size() == into.size());
  for (std::size_t k = 0; k < words.size(); ++k) into[k] += words[k];
}

int fraction_bits_for(double largest, std::size_t sites) {
  FIRM_CHECK(std::isfinite(largest) && largest >= 0);
  FIRM_CHECK(sites >= 1 && sites <= kMostSites);
  constexpr double kLargestFloat = std::numeric_limits<float>::max();
  const double sum = std::min(largest, kLargestFloat) * static_cast<double>(sites);
  if (sum == 0) return kMostFractionBits;
  int exponent = 0;
  std::frexp(sum, &exponent);  // 2^(exponent - 1) <= sum < 2^exponent
  return std::clamp(30 - exponent, kLeastFractionBits, kMostFractionBits);
}

int fraction_bits_with_room(int exponent, std::size_t sites) {
  constexpr int kRoomBits = 3;
  return fraction_bits_for(std::ldexp(1.0, exponent + kRoomBits), sites);
}

}  // namespace firm
