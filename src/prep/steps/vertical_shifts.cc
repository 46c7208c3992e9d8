#include "prep/steps/vertical_shifts.h"

#include <cmath>

#include "firm/error.h"

namespace firm {

Sinogram without_vertical_shifts(const Sinogram& s, const std::vector<double>& shifts,
                                 const SliceWindow& window) {
  FIRM_CHECK(shifts.size() == s.angles && window.first + window.count <= s.slices());
  Sinogram moved(s.beamlets, Block(s.values.rows(), window.count),
                 s.first_slice + static_cast<std::ptrdiff_t>(window.first));
  const auto last = static_cast<double>(s.slices() - 1);
  for (std::size_t a = 0; a < s.angles; ++a) {
    for (std::size_t z = 0; z < window.count; ++z) {
      const double at = static_cast<double>(window.first + z) + shifts[a];
      const bool inside = at >= 0 && at <= last;
      const double below = inside ? std::floor(at) : 0;
      const double part = inside ? at - below : 0;
      const auto low = static_cast<std::size_t>(below);
      const std::size_t high = part > 0 ? low + 1 : low;
      for (std::size_t x = 0; x < s.beamlets; ++x) {
        const std::size_t to = moved.index(a, x, z);
        const std::size_t from = s.index(a, x, low);
        const std::size_t next = s.index(a, x, high);
        if (!inside) moved.mark(to, Flaw::kOutside);
        moved.mark(to, s.flaws[from]);
        moved.mark(to, s.flaws[next]);
        moved.value(to) = static_cast<float>((1 - part) * static_cast<double>(s.value(from)) +
                                             part * static_cast<double>(s.value(next)));
      }
    }
  }
  return moved;
}

}  // namespace firm
