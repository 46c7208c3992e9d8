#include "report/thinned_curve.h"

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

std::vector<std::size_t> finite_points(std::span<const double> values) {
  std::vector<std::size_t> points;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) points.push_back(k);
  }
  return points;
}

}  // namespace

std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most) {
  FIRM_CHECK(most >= 20);
  std::vector<std::size_t> points = finite_points(values);
  if (points.size() <= most) return points;
  const std::size_t head = most / 10;
  std::vector<std::size_t> kept(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(head));
  const std::size_t pieces = (most - head - 1) / 2;
  const std::size_t rest = points.size() - head - 1;
  const auto lower = [&](std::size_t a, std::size_t b) { return values[a] < values[b]; };
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(head + k * rest / pieces);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(head + (k + 1) * rest / pieces);
    if (begin == end) continue;
    const auto [low, high] = std::minmax_element(begin, end, lower);
    kept.push_back(std::min(*low, *high));
    if (*low != *high) kept.push_back(std::max(*low, *high));
  }
  kept.push_back(points.back());
  return kept;
}

}  // namespace firm
