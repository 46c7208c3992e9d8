// Fixed point: encodes floats as integers modulo 2^32, so that a sum over sites is exact.
//
//     word = x 2^f, rounded to the nearest integer, ties to even        f = fraction bits
//
// All sites use the same f. The sum of the words modulo 2^32 does not depend on order or grouping,
// and is the sum of the integers as long as |x| 2^f < 2^31 / sites at every site, which `encode`
// checks: a value out of range is reported, never clipped. -0 becomes 0.
//
// The loops are bound by memory bandwidth: 8 bytes of traffic per value to encode or decode, 12 to
// add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace firm {

// With 149 fraction bits every float is an integer. With -120, a sum of kMostSites times the
// largest float still fits.
inline constexpr int kMostFractionBits = 149;
inline constexpr int kLeastFractionBits = -120;
inline constexpr std::size_t kMostSites = std::size_t{1} << 22;

// The first value that a word cannot hold: NaN, infinite, or too large.
struct Overflow {
  std::size_t index;
  double value;
};

// Encodes `values` into `words`. After an overflow the words are meaningless.
[[nodiscard]] std::optional<Overflow> encode(std::span<const float> values, int fraction_bits,
                                             std::size_t sites, std::span<std::uint32_t> words);

// Decodes `words` into `values`; rounds once, from integer to float.
void decode(std::span<const std::uint32_t> words, int fraction_bits, std::span<float> values);

// into += words, modulo 2^32.
void add(std::span<const std::uint32_t> words, std::span<std::uint32_t> into);

// Returns the largest f that holds |x| <= largest with one bit to spare, largest 2^f sites < 2^30,
// within the two bounds above. `largest` is finite and not negative; a value above the largest
// float counts as the largest float.
int fraction_bits_for(double largest, std::size_t sites);

// Like fraction_bits_for with |x| < 2^exponent, with room for values to grow by a factor of 8.
int fraction_bits_with_room(int exponent, std::size_t sites);

}  // namespace firm
