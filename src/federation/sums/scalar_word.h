// Scalar words: the few doubles that ride with a share (objective, squared norms, votes) as
// integers modulo 2^256, so that their sum over sites is exact whatever its order.
//
//     word = x 2^160, rounded to the nearest integer, ties to even
//
// Every double of size 3e-33 (2^-108) to 4e28 (2^95) over the number of sites is carried without
// rounding; smaller ones to the nearest 2^-160. -0 becomes 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "federation/sums/fixed_point.h"

namespace firm {

inline constexpr int kScalarFractionBits = 160;

// Two's complement, the lowest 64 bits first: on the wire 32 bytes, the lowest first.
using ScalarWord = std::array<std::uint64_t, 4>;

// Reports a value that is NaN, infinite, or for which |x| sites < 2^95 does not hold.
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
