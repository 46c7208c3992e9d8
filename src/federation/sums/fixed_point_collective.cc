#include "federation/sums/fixed_point_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "federation/sums/wrong_sum.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kMostScales = 8;
constexpr std::size_t kOwnScalars = 2;  // added to the caller's scalars: votes and bound

// The scale becomes finer when that gains at least this many bits.
constexpr int kFinerBits = 8;
// Range of exponents sent as scalars; exponents outside are clamped.
constexpr int kLeastExponent = -100;
constexpr int kMostExponent = 64;

// Returns an e with |x| < 2^e for all values, if they are finite. With the sign bit cleared, floats
// sort like their bits, and the compiler vectorises comparisons of integers.
int exponent_of(std::span<const float> values) {
  constexpr std::int32_t kSignCleared = 0x7fffffff;
  std::int32_t bits = 0;
  for (const float x : values) bits = std::max(bits, std::bit_cast<std::int32_t>(x) & kSignCleared);
  const float largest = std::bit_cast<float>(bits);
  int exponent = 0;
  std::frexp(largest, &exponent);
  return largest > 0 ? std::max(exponent, kLeastExponent) : kLeastExponent;
}

void check_finite(const Overflow& overflow, const char* what) {
  if (std::isfinite(overflow.value)) return;
  throw data_error({"share", fmt::format("{} {}", what, overflow.index), "a finite number",
                    fmt::format("{}", overflow.value)});
}

}  // namespace

// Scalars beyond the limit of one exchange go into further exchanges.
void FixedPointCollective::sum(std::span<float> vector, std::span<double> scalars) {
  constexpr std::size_t kAtOnce = kMostScalars - kCheckScalars - kOwnScalars;
  sum_words(vector, scalars.first(std::min(kAtOnce, scalars.size())), "");
  for (std::size_t k = kAtOnce; k < scalars.size(); k += kAtOnce) {
    sum_words({}, scalars.subspan(k, std::min(kAtOnce, scalars.size() - k)), "");
  }
}

void FixedPointCollective::sum_for(const std::string& site, std::span<float> vector) {
  sum_words(vector, {}, site);
}

void FixedPointCollective::sum_slices(std::span<double> scalars) {
  if (exchange_.slice_groups() == 1) return;
  encode_scalars(scalars, exchange_.slice_groups());
  exchange_.sum_slices(scalar_words_);
  decode(scalar_words_, scalars);
}

ShareView FixedPointCollective::share(std::size_t length) {
  const auto scale = fraction_.find(length);
  return {words_, scale == fraction_.end() ? 0 : scale->second, scalar_words_};
}

void FixedPointCollective::sum_words(std::span<float> vector, std::span<double> scalars,
                                     const std::string& opener) {
  const int exponent = exponent_of_all_slices(vector);
  // Append two scalars: a vote, and a bound of the values in the vector.
  std::vector<double> sums(scalars.begin(), scalars.end());
  sums.insert(sums.end(), {1.0, std::ldexp(1.0, std::min(exponent, kMostExponent))});
  for (;;) {
    encode_scalars(sums, exchange_.sites());
    const bool fits = encode_vector(vector);
    const std::optional<int> scale = exchange_.sum(
        share(vector.size()), fits ? std::nullopt : std::optional<int>(exponent), opener);
    if (!scale) break;
    fraction_[vector.size()] = *scale;
  }
  if (!vector.empty()) decode(words_, fraction_.at(vector.size()), vector);
  if (!exchange_.opens(opener)) return;  // only the opener can read the scalars, too
  decode(scalar_words_, sums);
  std::copy_n(sums.begin(), scalars.size(), scalars.begin());
  check_votes(sums[scalars.size()]);
  // Only when all sites know the sum, so that all change their scale or none does.
  if (opener.empty() && !vector.empty()) refine(vector.size(), sums[scalars.size() + 1]);
}

// With masks the tags have shown that the sum is right: then a site has not added its vote. Without
// masks the votes show a share that was left out.
void FixedPointCollective::check_votes(double votes) const {
  if (votes == static_cast<double>(exchange_.sites())) return;
  throw WrongSum(fmt::format("expected the votes of {} sites, found {}", exchange_.sites(), votes));
}

// Values that have become much smaller use a finer scale from the next sum on. All sites know the
// bound and decide alike, so no message is needed.
void FixedPointCollective::refine(std::size_t length, double bound) {
  int& bits = fraction_.at(length);
  const int finer = fraction_bits_with_room(std::ilogb(bound) + 1, exchange_.sites());
  if (finer >= bits + kFinerBits) bits = finer;
}

// All slices of a site share one scale, also when they are spread over processes.
int FixedPointCollective::exponent_of_all_slices(std::span<const float> vector) {
  const int here = exponent_of(vector);
  return vector.empty() ? here : exchange_.largest_of_slices(here);
}

void FixedPointCollective::encode_scalars(std::span<const double> scalars, std::size_t addends) {
  scalar_words_.resize(scalars.size());
  if (const auto overflow = encode(scalars, addends, scalar_words_)) {
    check_finite(*overflow, "scalar");
    throw data_error({"share", fmt::format("scalar {}", overflow->index), "a smaller number",
                      fmt::format("{}", overflow->value)});
  }
}

bool FixedPointCollective::encode_vector(std::span<const float> vector) {
  words_.resize(vector.size());
  if (vector.empty()) return true;
  const auto scale = fraction_.find(vector.size());
  // Before a scale is agreed, encoding with the smallest one still detects values that are not
  // finite.
  const int bits = scale == fraction_.end() ? kLeastFractionBits : scale->second;
  if (const auto overflow = encode(vector, bits, exchange_.sites(), words_)) {
    check_finite(*overflow, "value");
    return false;
  }
  return scale != fraction_.end();
}

void FixedPointCollective::archive(Archive& archive) {
  FIRM_CHECK(fraction_.size() <= kMostScales);
  std::vector<double> table(2 * kMostScales, -1.0);
  std::size_t k = 0;
  for (const auto& [length, bits] : fraction_) {
    table[k++] = static_cast<double>(length);
    table[k++] = bits;
  }
  archive.values("federation/scales", std::span<double>(table));
  fraction_.clear();
  for (k = 0; k < table.size() && table[k] >= 0; k += 2) {
    fraction_[static_cast<std::uint64_t>(table[k])] = static_cast<int>(table[k + 1]);
  }
}

}  // namespace firm
