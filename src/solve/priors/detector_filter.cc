#include "solve/priors/detector_filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace firm {

// h[d] = (1 / n) sum_k symbol(f_k) cos(2 pi k d / n), f_k = min(k, n - k) / n.
DetectorFilter::DetectorFilter(std::size_t beamlets, const std::function<double(double)>& symbol)
    : kernel_(beamlets) {
  const auto n = static_cast<double>(beamlets);
  std::vector<double> factors;
  std::vector<double> cosines;
  for (std::size_t k = 0; k < beamlets; ++k) {
    factors.push_back(symbol(static_cast<double>(std::min(k, beamlets - k)) / n));
    cosines.push_back(std::cos(2 * std::numbers::pi * static_cast<double>(k) / n));
  }
  for (std::size_t d = 0; d < beamlets; ++d) {
    double sum = 0;
    for (std::size_t k = 0; k < beamlets; ++k) sum += factors[k] * cosines[k * d % beamlets];
    kernel_[d] = static_cast<float>(sum / n);
  }
}

void DetectorFilter::add(std::span<const float> x, std::span<float> twice,
                         std::span<float> y) const {
  const std::size_t n = kernel_.size();
  std::copy(x.begin(), x.end(), twice.begin());
  std::copy(x.begin(), x.end(), twice.begin() + static_cast<std::ptrdiff_t>(n));
  float* out = y.data();
  for (std::size_t d = 0; d < n; ++d) {
    const float h = kernel_[d];
    const float* from = twice.data() + d;
#pragma GCC ivdep
    for (std::size_t j = 0; j < n; ++j) out[j] += h * from[j];
  }
}

}  // namespace firm
