#include "solve/projection.h"

#include <algorithm>

#include "firm/error.h"

namespace firm {

PixelProjection::PixelProjection(std::vector<double> c) : c_(std::move(c)), breaks_(c_.size()) {
  for (const double c_i : c_) FIRM_CHECK(c_i > 0);
}

double PixelProjection::root_by_sorting(std::span<const double> v) {
  const std::size_t n = c_.size();
  for (std::size_t i = 0; i < n; ++i) breaks_[i] = {-v[i] / c_[i], i};
  std::sort(breaks_.begin(), breaks_.end(), [](const Break& a, const Break& b) {
    return a.at < b.at || (a.at == b.at && a.variable < b.variable);
  });
  // On the piece where the first k breaks are passed: phi(l) = v_N - l - sum_{i passed} c_i (v_i +
  // l c_i) = value - slope l. Its root is that of phi when it lies before the next break.
  double value = v[n];
  double slope = 1;
  double l = value;
  for (const Break& b : breaks_) {
    if (l <= b.at) break;
    value -= c_[b.variable] * v[b.variable];
    slope += c_[b.variable] * c_[b.variable];
    l = value / slope;
  }
  return l;
}

std::optional<double> PixelProjection::root_by_newton(std::span<const double> v) const {
  constexpr int kSteps = 4;
  const std::size_t n = c_.size();
  // The tangent at l = infinity: all variables are positive there.
  double value = v[n];
  double slope = 1;
  for (std::size_t i = 0; i < n; ++i) {
    value -= c_[i] * v[i];
    slope += c_[i] * c_[i];
  }
  for (int step = 0; step < kSteps; ++step) {
    const double l = value / slope;
    double next_value = v[n];
    double next_slope = 1;
    for (std::size_t i = 0; i < n; ++i) {
      const double positive = v[i] + l * c_[i] > 0 ? c_[i] : 0;
      next_value -= positive * v[i];
      next_slope += positive * positive;
    }
    // The same variables are positive: l is the root. Sums are formed in the same order.
    if (next_value == value && next_slope == slope) return l;
    value = next_value;
    slope = next_slope;
  }
  return {};
}

void PixelProjection::project(std::span<double> v) {
  const std::size_t n = c_.size();
  const std::optional<double> newton = root_by_newton(v);
  const double l = newton ? *newton : root_by_sorting(v);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = std::max(0.0, v[i] + l * c_[i]);
    total += c_[i] * v[i];
  }
  v[n] = total;
}

}  // namespace firm
