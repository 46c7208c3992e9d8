#include "align/resample.h"

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

// Replaces inner gaps of at most `most` masked values by straight lines.
void fill_gaps(std::size_t most, std::vector<float>& values, std::vector<char>& usable) {
  const std::size_t n = values.size();
  for (std::size_t first = 1; first < n; ++first) {
    if (usable[first] != 0 || usable[first - 1] == 0) continue;
    std::size_t end = first;
    while (end < n && usable[end] == 0) ++end;
    if (end == n || end - first > most) continue;
    const float step = (values[end] - values[first - 1]) / static_cast<float>(end - first + 1);
    for (std::size_t k = first; k < end; ++k) {
      values[k] = values[k - 1] + step;
      usable[k] = 1;
    }
  }
}

}  // namespace

RowSums::RowSums(std::span<const float> values, std::span<const float> weights)
    : values_(values.size() + 1), weights_(values.size() + 1) {
  FIRM_CHECK(weights.empty() || weights.size() == values.size());
  std::vector<float> filled(values.begin(), values.end());
  std::vector<char> usable(values.size(), 1);
  for (std::size_t k = 0; k < weights.size(); ++k) usable[k] = weights[k] > 0 ? 1 : 0;
  fill_gaps(kGap, filled, usable);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values_[k + 1] = values_[k] + (usable[k] != 0 ? static_cast<double>(filled[k]) : 0);
    weights_[k + 1] = weights_[k] + (usable[k] != 0 ? 1 : 0);
  }
}

double RowSums::at(const std::vector<double>& sums, double edge) const {
  const double last = static_cast<double>(sums.size() - 1);
  const double x = std::clamp(edge, 0.0, last);
  const auto left = std::min(static_cast<std::size_t>(x), sums.size() - 2);
  const double part = x - static_cast<double>(left);
  return sums[left] + part * (sums[left + 1] - sums[left]);
}

void RowSums::resample(const Bins& bins, std::span<float> means, std::span<float> used) const {
  constexpr double kCovered = 0.99;
  const double half = static_cast<double>(bins.count) / 2;
  for (std::size_t m = 0; m < bins.count; ++m) {
    const double low = bins.centre + (static_cast<double>(m) - half) * bins.width;
    const double high = low + bins.width;
    const double weight = at(weights_, high) - at(weights_, low);
    const bool covered = weight >= kCovered * bins.width;
    used[m] = covered ? 1 : 0;
    means[m] = covered ? static_cast<float>((at(values_, high) - at(values_, low)) / weight) : 0;
  }
}

}  // namespace firm
