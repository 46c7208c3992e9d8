#include "report/page/packed_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "firm/error.h"

namespace firm {
namespace {

constexpr unsigned kNanCode = 65535;
constexpr unsigned kLargestCode = 65534;

// Chooses `count` slices, evenly spread; an odd `count` includes the middle one.
std::vector<std::size_t> spread_slices(std::size_t slices, std::size_t count) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k) chosen.push_back((2 * k + 1) * slices / (2 * count));
  return chosen;
}

// Appends the lowest `count` bytes of a word, little-endian.
void append(std::vector<unsigned char>& bytes, std::uint32_t word, int count) {
  for (int k = 0; k < count; ++k) bytes.push_back(static_cast<unsigned char>(word >> (8 * k)));
}

}  // namespace

Packing choose_packing(std::size_t values, std::size_t slices, std::size_t bytes) {
  FIRM_CHECK(values > 0 && slices > 0 && bytes > 0);
  Packing packing;
  if (4 * values * slices > bytes) packing.bits = 16;
  std::size_t count = slices;
  if (2 * values * slices > bytes) {
    count = std::max<std::size_t>(1, bytes / (2 * values));
    if (count % 2 == 0) --count;
  }
  while (2 * values * count / (packing.reduction * packing.reduction) > bytes) ++packing.reduction;
  packing.slices = spread_slices(slices, count);
  return packing;
}

PackedValues::PackedValues(const Packing& packing, std::size_t rows, std::size_t columns)
    : packing_(packing),
      full_rows_(rows),
      full_columns_(columns),
      rows_((rows + packing.reduction - 1) / packing.reduction),
      columns_((columns + packing.reduction - 1) / packing.reduction),
      low_(std::numeric_limits<float>::infinity()),
      high_(-std::numeric_limits<float>::infinity()) {}

void PackedValues::add(std::size_t slice, std::span<const float> values) {
  FIRM_CHECK(values.size() == full_rows_ * full_columns_);
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    low_ = std::min(low_, v);
    high_ = std::max(high_, v);
    squares_ += static_cast<double>(v) * static_cast<double>(v);
  }
  if (!std::binary_search(packing_.slices.begin(), packing_.slices.end(), slice)) return;
  if (packing_.reduction == 1) {
    kept_.insert(kept_.end(), values.begin(), values.end());
    return;
  }
  const std::vector<float> small = reduced(values);
  kept_.insert(kept_.end(), small.begin(), small.end());
}

std::vector<float> PackedValues::reduced(std::span<const float> values) const {
  const std::size_t n = packing_.reduction;
  std::vector<float> small;
  for (std::size_t row = 0; row < full_rows_; row += n) {
    for (std::size_t column = 0; column < full_columns_; column += n) {
      double sum = 0;
      double count = 0;
      for (std::size_t r = row; r < std::min(row + n, full_rows_); ++r) {
        for (std::size_t c = column; c < std::min(column + n, full_columns_); ++c) {
          sum += static_cast<double>(values[r * full_columns_ + c]);
          ++count;
        }
      }
      small.push_back(static_cast<float>(sum / count));
    }
  }
  return small;
}

double PackedValues::base() const { return low_ <= high_ ? static_cast<double>(low_) : 0; }

double PackedValues::step() const {
  if (!(low_ < high_)) return 0;
  return (static_cast<double>(high_) - static_cast<double>(low_)) / kLargestCode;
}

std::string PackedValues::base64() const {
  std::vector<unsigned char> bytes;
  bytes.reserve(kept_.size() * static_cast<std::size_t>(packing_.bits / 8));
  const double step = this->step();
  for (const float v : kept_) {
    if (packing_.bits == 32) {
      append(bytes, std::bit_cast<std::uint32_t>(v), 4);
    } else if (!std::isfinite(v)) {
      append(bytes, kNanCode, 2);
    } else {
      const double k = step > 0 ? std::round((static_cast<double>(v) - base()) / step) : 0;
      append(bytes, static_cast<std::uint32_t>(std::clamp(k, 0.0, double{kLargestCode})), 2);
    }
  }
  return firm::base64(bytes);
}

std::string base64(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) word = word << 8 | (j < count ? bytes[k + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[word >> (18 - 6 * j) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace firm
