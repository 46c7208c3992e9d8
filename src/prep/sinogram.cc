#include "prep/sinogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

// Interpolates between the usable beamlets `left` and `right` of a row; either may be `none`.
void fill_gap(float* row, std::size_t left, std::size_t right, std::size_t none, std::size_t end) {
  const std::size_t first = left == none ? 0 : left + 1;
  const std::size_t last = right == none ? end : right;
  for (std::size_t x = first; x < last; ++x) {
    if (left == none && right == none) {
      row[x] = 0;
    } else if (left == none || right == none) {
      row[x] = row[left == none ? right : left];
    } else {
      const auto part = static_cast<float>(x - left) / static_cast<float>(right - left);
      row[x] = row[left] + part * (row[right] - row[left]);
    }
  }
}

}  // namespace

Sinogram::Sinogram(std::size_t beamlet_count, Block block, std::ptrdiff_t first)
    : angles(block.rows() / beamlet_count),
      beamlets(beamlet_count),
      values(std::move(block)),
      flaws(values.size(), Flaw::kNone),
      first_slice(first) {
  FIRM_CHECK(angles * beamlets == values.rows());
}

std::size_t Sinogram::count(Flaw flaw) const {
  return static_cast<std::size_t>(std::count(flaws.begin(), flaws.end(), flaw));
}

void mark_not_finite(Sinogram& s) {
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (!std::isfinite(s.value(k))) s.mark(k, Flaw::kNotFinite);
  }
}

std::string flaw_text(const Sinogram& s, Flaw flaw, const char* what, const char* frame) {
  const auto at = std::find(s.flaws.begin(), s.flaws.end(), flaw);
  FIRM_CHECK(at != s.flaws.end());
  const auto k = static_cast<std::size_t>(at - s.flaws.begin());
  const std::size_t ray = k / s.slices();
  return fmt::format("{} {}, the first {} in slice {}, {} {}, beamlet {}", s.count(flaw), what,
                     s.value(k), s.first_slice + static_cast<std::ptrdiff_t>(k % s.slices()), frame,
                     ray / s.beamlets, ray % s.beamlets);
}

std::vector<float> filled_slice(const Sinogram& s, std::size_t slice) {
  std::vector<float> all(s.angles * s.beamlets);
  const std::size_t none = s.beamlets;
  for (std::size_t a = 0; a < s.angles; ++a) {
    float* row = all.data() + a * s.beamlets;
    std::size_t left = none;
    bool gap = false;
    for (std::size_t x = 0; x < s.beamlets; ++x) {
      const std::size_t k = s.index(a, x, slice);
      gap = gap || !s.usable(k);
      if (!s.usable(k)) continue;
      row[x] = s.value(k);
      if (gap) fill_gap(row, left, x, none, s.beamlets);
      gap = false;
      left = x;
    }
    if (gap) fill_gap(row, left, none, none, s.beamlets);
  }
  return all;
}

}  // namespace firm
