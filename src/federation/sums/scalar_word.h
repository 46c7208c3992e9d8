// Scalar words: encodes the few doubles sent with a share (objective, squared norms, votes) as
// integers modulo 2^256, so that their sum over sites is exact in any order.
//
//     word = x 2^160, rounded to the nearest integer, ties to even
//
// Doubles between 3e-33 (2^-108) and 4e28 (2^95) divided by the number of sites, in absolute value,
// are encoded without rounding; smaller ones are rounded to the nearest 2^-160. -0 becomes 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "federation/sums/fixed_point.h"

namespace firm {

inline constexpr int kScalarFractionBits = 160;

// Two's complement, lowest 64 bits first; 32 little-endian bytes on the wire.
using ScalarWord = std::array<std::uint64_t, 4>;

// Reports the first value that is NaN, infinite, or violates |x| sites < 2^95.
[[nodiscard]] std::optional<Overflow> encode(std::span<const double> values, std::size_t sites,
                                             std::span<ScalarWord> words);

// Rounds once, to the nearest double, ties to even.
void decode(std::span<const ScalarWord> words, std::span<double> values);

// into += word, modulo 2^256.
void add(const ScalarWord& word, ScalarWord& into);
void add(std::span<const ScalarWord> words, std::span<ScalarWord> into);

// -word, modulo 2^256.
ScalarWord negated(const ScalarWord& word);

}  // namespace firm
