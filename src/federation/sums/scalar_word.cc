#include "federation/sums/scalar_word.h"

#include <bit>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

constexpr int kLimbBits = 64;
constexpr double kLimit = 0x1p95;  // 2^255 / 2^160

// Tests |x| sites < 2^95 exactly: when the product rounds to the limit, its remainder decides.
bool fits(double value, std::size_t sites) {
  const double x = std::abs(value);
  const double count = static_cast<double>(sites);
  const double product = x * count;
  return product < kLimit || (product == kLimit && std::fma(x, count, -kLimit) < 0);
}

// Encodes x >= 0: an integer below 2^53, shifted by the exponent of x.
ScalarWord magnitude(double x) {
  const double y = std::nearbyint(std::ldexp(x, kScalarFractionBits));
  int exponent = 0;
  const double part = std::frexp(y, &exponent);
  ScalarWord word{};
  if (exponent <= kLimbBits) {
    word[0] = static_cast<std::uint64_t>(y);
    return word;
  }
  const auto top = static_cast<std::uint64_t>(std::ldexp(part, kLimbBits));  // 64 leading bits
  const int shift = exponent - kLimbBits;
  const auto limb = static_cast<std::size_t>(shift / kLimbBits);
  const int within = shift % kLimbBits;
  word.at(limb) = top << within;
  if (within > 0) word.at(limb + 1) = top >> (kLimbBits - within);
  return word;
}

// The 64 leading bits of a nonzero number and the exponent of the last of them. That last bit is
// set if any lower bit is, so that rounding the 64 bits to 53 rounds the whole number correctly.
struct Leading {
  std::uint64_t bits;
  int exponent;
};

Leading leading(const ScalarWord& word) {
  std::size_t limb = word.size() - 1;
  while (word.at(limb) == 0) --limb;
  if (limb == 0) return {word[0], 0};
  const int shift = std::countl_zero(word.at(limb));
  std::uint64_t bits = word.at(limb) << shift;
  std::uint64_t rest = word.at(limb - 1) << shift;
  if (shift > 0) bits |= word.at(limb - 1) >> (kLimbBits - shift);
  for (std::size_t k = 0; k + 1 < limb; ++k) rest |= word.at(k);
  return {bits | (rest != 0 ? 1U : 0U), static_cast<int>(limb) * kLimbBits - shift};
}

double value_of(const ScalarWord& word) {
  if (word == ScalarWord{}) return 0;
  const bool negative = word.back() >> (kLimbBits - 1) != 0;
  const auto [bits, exponent] = leading(negative ? negated(word) : word);
  const double size = std::ldexp(static_cast<double>(bits), exponent - kScalarFractionBits);
  return negative ? -size : size;
}

}  // namespace

std::optional<Overflow> encode(std::span<const double> values, std::size_t sites,
                               std::span<ScalarWord> words) {
  FIRM_CHECK(values.size() == words.size());
  FIRM_CHECK(sites >= 1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!fits(values[k], sites)) return Overflow{k, values[k]};
    const ScalarWord size = magnitude(std::abs(values[k]));
    words[k] = values[k] < 0 ? negated(size) : size;
  }
  return std::nullopt;
}

void decode(std::span<const ScalarWord> words, std::span<double> values) {
  FIRM_CHECK(values.size() == words.size());
  for (std::size_t k = 0; k < words.size(); ++k) values[k] = value_of(words[k]);
}

void add(const ScalarWord& word, ScalarWord& into) {
  std::uint64_t carry = 0;
  for (std::size_t k = 0; k < into.size(); ++k) {
    const std::uint64_t with_carry = word.at(k) + carry;
    carry = with_carry < carry ? 1 : 0;
    into.at(k) += with_carry;
    carry += into.at(k) < with_carry ? 1 : 0;
  }
}

void add(std::span<const ScalarWord> words, std::span<ScalarWord> into) {
  FIRM_CHECK(words.size() == into.size());
  for (std::size_t k = 0; k < words.size(); ++k) add(words[k], into[k]);
}

ScalarWord negated(const ScalarWord& word) {
  ScalarWord result{1};
  ScalarWord inverted = word;
  for (std::uint64_t& limb : inverted) limb = ~limb;
  add(inverted, result);
  return result;
}

}  // namespace firm
