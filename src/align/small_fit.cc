#include "align/small_fit.h"

#include <algorithm>

#include "firm/error.h"

namespace firm {

std::vector<double> solve_normal(std::vector<double> g, std::vector<double> h) {
  const std::size_t n = h.size();
  FIRM_CHECK(g.size() == n * n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, g[i * n + i]);
  if (largest <= 0) return std::vector<double>(n);
  constexpr double kRidge = 1e-6;
  for (std::size_t i = 0; i < n; ++i) g[i * n + i] += kRidge * largest;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i + 1; k < n; ++k) {
      const double factor = g[k * n + i] / g[i * n + i];
      for (std::size_t j = i; j < n; ++j) g[k * n + j] -= factor * g[i * n + j];
      h[k] -= factor * h[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) h[i] -= g[i * n + j] * h[j];
    h[i] /= g[i * n + i];
  }
  return h;
}

std::vector<double> weighted_fit(const std::vector<double>& basis, std::size_t size,
                                 const std::vector<double>& values,
                                 const std::vector<double>& weights) {
  std::vector<double> g(size * size);
  std::vector<double> h(size);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double* row = basis.data() + k * size;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) g[i * size + j] += weights[k] * row[i] * row[j];
      h[i] += weights[k] * row[i] * values[k];
    }
  }
  return solve_normal(std::move(g), std::move(h));
}

}  // namespace firm
