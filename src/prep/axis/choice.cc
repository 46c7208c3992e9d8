#include "prep/axis/choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace firm {

std::vector<std::size_t> some_of(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t n = std::min(count, most);
  for (std::size_t k = 0; k < n; ++k) chosen.push_back((2 * k + 1) * count / (2 * n));
  return chosen;
}

std::vector<std::size_t> some_angles(const std::vector<double>& angles, std::size_t most) {
  std::vector<std::size_t> order(angles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return angles[a] < angles[b]; });
  std::vector<std::size_t> chosen;
  for (const std::size_t k : some_of(angles.size(), most)) chosen.push_back(order[k]);
  return chosen;
}

double jackknife_deviation(const std::vector<double>& estimates) {
  if (estimates.size() < 2) return 0;
  const auto count = static_cast<double>(estimates.size());
  const double mean = std::accumulate(estimates.begin(), estimates.end(), 0.0) / count;
  double sum = 0;
  for (const double estimate : estimates) sum += (estimate - mean) * (estimate - mean);
  return std::sqrt((count - 1) / count * sum);
}

}  // namespace firm
