// Fixed point: vectors of floats as integers modulo 2^32, so that a sum over sites is exact.
//
//     word = x 2^f, rounded to the nearest integer, ties to even        f = fraction bits
//
// All sites use the same f. The sum of the words modulo 2^32 does not depend on order or grouping,
// and is the sum of the integers as long as |x| 2^f < 2^31 / sites at every site, which `encode`
// checks: a value out of range is reported, never clipped. -0 becomes 0.
//
// The loops run at the speed of memory: 8 bytes of traffic per value to encode or decode, 12 to
// add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace firm {

// With 149 every float is an integer; with -120 as many of the largest float as there may be sites
// still fit.
inline constexpr int kMostFractionBits = 149;
inline constexpr int kLeastFractionBits = -120;
inline constexpr std::size_t kMostSites = std::size_t{1} << 22;

// The first value that words cannot carry: NaN, infinite, or too large.
struct Overflow {
  std::size_t index;
  double value;
};

// After an overflow the words are of no use.
[[nodiscard]] std::optional<Overflow> encode(std::span<const float> values, int fraction_bits,
                                             std::size_t sites, std::span<std::uint32_t> words);

// One rounding, of the integer to float.
void decode(std::span<const std::uint32_t> words, int fraction_bits, std::span<float> values);

// into += words, modulo 2^32.
void add(std::span<const std::uint32_t> words, std::span<std::uint32_t> into);

// The largest f with which |x| <= largest is carried and one bit to spare: f with
// largest 2^f sites < 2^30, within the two bounds above. `largest` is finite and not negative;
// what is above the largest float counts as that.
int fraction_bits_for(double largest, std::size_t sites);

// The same for |x| < 2^exponent, with room for values that grow by a factor of 8.
int fraction_bits_with_room(int exponent, std::size_t sites);

}  // namespace firm
