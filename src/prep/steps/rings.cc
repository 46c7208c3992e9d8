#include "prep/steps/rings.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"

namespace firm {
namespace {

// ... 1 0 | 0 1 2 ... n-1 | n-1 n-2 ...
std::size_t reflected(std::ptrdiff_t at, std::ptrdiff_t n) {
  while (at < 0 || at >= n) at = at < 0 ? -1 - at : 2 * n - 1 - at;
  return static_cast<std::size_t>(at);
}

// One slice, angle by angle.
struct Sorted {
  std::vector<float> values;          // rank * beamlets + beamlet
  std::vector<std::size_t> angle_of;  // of each of them
};

Sorted sort_beamlets(const std::vector<float>& slice, std::size_t angles, std::size_t beamlets) {
  Sorted sorted{std::vector<float>(slice.size()), std::vector<std::size_t>(slice.size())};
  std::vector<std::size_t> order(angles);
  for (std::size_t x = 0; x < beamlets; ++x) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return slice[a * beamlets + x] < slice[b * beamlets + x];
    });
    for (std::size_t rank = 0; rank < angles; ++rank) {
      sorted.values[rank * beamlets + x] = slice[order[rank] * beamlets + x];
      sorted.angle_of[rank * beamlets + x] = order[rank];
    }
  }
  return sorted;
}

void remove_in_slice(std::ptrdiff_t half, std::size_t z, Sinogram& s) {
  const Sorted sorted = sort_beamlets(filled_slice(s, z), s.angles, s.beamlets);
  const auto n = static_cast<std::ptrdiff_t>(s.beamlets);
  std::vector<float> around(static_cast<std::size_t>(2 * half + 1));
  const auto middle = around.begin() + half;
  for (std::size_t rank = 0; rank < s.angles; ++rank) {
    const float* row = sorted.values.data() + rank * s.beamlets;
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      const std::size_t here = rank * s.beamlets + static_cast<std::size_t>(x);
      const std::size_t k = s.index(sorted.angle_of[here], static_cast<std::size_t>(x), z);
      if (!s.usable(k)) continue;
      for (std::ptrdiff_t d = -half; d <= half; ++d) {
        around[static_cast<std::size_t>(d + half)] = row[reflected(x + d, n)];
      }
      std::nth_element(around.begin(), middle, around.end());
      s.value(k) = *middle;
    }
  }
}

}  // namespace

void remove_rings(std::size_t window, Sinogram& s) {
  const auto half = static_cast<std::ptrdiff_t>(window / 2);
  parallel_for(s.slices(), thread_count(0), [&](std::size_t z) { remove_in_slice(half, z, s); });
}

}  // namespace firm
