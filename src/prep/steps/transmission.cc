#include "prep/steps/transmission.h"

#include <cmath>

namespace firm {

Clipped clip(const std::optional<double>& low, const std::optional<double>& high, Sinogram& s) {
  Clipped clipped;
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (!s.usable(k)) continue;
    const auto value = static_cast<double>(s.value(k));
    if (low && value < *low) {
      s.value(k) = static_cast<float>(*low);
      ++clipped.low;
    } else if (high && value > *high) {
      s.value(k) = static_cast<float>(*high);
      ++clipped.high;
    }
  }
  return clipped;
}

void take_logarithm(Sinogram& s) {
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (!s.usable(k)) continue;
    const auto transmission = static_cast<double>(s.value(k));
    if (transmission > 0 && std::isfinite(transmission)) {
      s.value(k) = static_cast<float>(-std::log(transmission));
    } else {
      s.mark(k, Flaw::kNotPositive);
    }
  }
}

}  // namespace firm
