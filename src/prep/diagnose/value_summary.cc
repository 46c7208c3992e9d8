#include "prep/diagnose/value_summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/inspect/survey.h"
#include "prep/diagnose/coarse_site.h"

namespace firm {
namespace {

// Reorders the values.
double quantile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return static_cast<double>(values[static_cast<std::size_t>(at)]);
}

}  // namespace

double ValueSummary::largest() const { return std::max(std::abs(lowest), std::abs(highest)); }

bool ValueSummary::level_beside() const {
  constexpr double kLeastShare = 0.02;
  constexpr double kErrors = 5;
  if (outer_count == 0) return false;
  const double error = 1.25 * noise / std::sqrt(static_cast<double>(outer_count));
  const double size = std::abs(outer);
  if (size < std::max({kLeastShare * largest(), noise, kErrors * error})) return false;
  return outer_spread <= std::max(2 * noise, 0.3 * size) &&
         std::abs(outer_difference) <= std::max(noise, 0.5 * size);
}

ValueSummary summarize_values(const Site& site, const SiteData& data) {
  const auto beamlets = static_cast<std::size_t>(site.geometry.beamlets);
  const std::size_t slices = data.values.columns();
  const std::size_t width = outer_beamlets(beamlets);
  std::vector<float> all;
  std::vector<float> left;
  std::vector<float> right;
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    if (data.weights.rows() > 0 && data.weights.data()[k] <= 0) continue;
    const float value = data.values.data()[k];
    const std::size_t x = k / slices % beamlets;
    all.push_back(value);
    if (x < width) left.push_back(value);
    if (x + width >= beamlets) right.push_back(value);
  }
  ValueSummary s;
  s.count = all.size();
  s.noise = noise_of(site, data);
  s.lowest = quantile(all, 0.01);
  s.low = quantile(all, 0.1);
  s.high = quantile(all, 0.9);
  s.highest = quantile(all, 0.99);
  s.outer_difference = quantile(right, 0.5) - quantile(left, 0.5);
  left.insert(left.end(), right.begin(), right.end());
  s.outer_count = left.size();
  s.outer = quantile(left, 0.5);
  s.outer_spread = (quantile(left, 0.84) - quantile(left, 0.16)) / 2;
  return s;
}

}  // namespace firm
