#include "report/page/thinned_curve.h"

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

std::vector<std::size_t> thinned(std::span<const double> values, std::span<const long> rounds,
                                 std::size_t most) {
  FIRM_CHECK(most >= 20 && rounds.size() == values.size());
  std::vector<std::size_t> points = finite_points(values);
  if (points.size() <= most) return points;
  const std::size_t head = most / 10;
  std::vector<std::size_t> kept(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(head));
  const auto pieces = static_cast<long>((most - head - 1) / 2);
  const long first = rounds[points[head]];
  const long span = rounds[points.back()] - first;
  const auto lower = [&](std::size_t a, std::size_t b) { return values[a] < values[b]; };
  auto at = points.begin() + static_cast<std::ptrdiff_t>(head);
  for (long k = 1; k <= pieces; ++k) {
    const auto begin = at;
    at = k == pieces ? points.end() - 1 : std::find_if(begin, points.end() - 1, [&](std::size_t p) {
      return rounds[p] >= first + k * span / pieces;
    });
    if (begin == at) continue;
    const auto [low, high] = std::minmax_element(begin, at, lower);
    kept.push_back(std::min(*low, *high));
    if (*low != *high) kept.push_back(std::max(*low, *high));
  }
  kept.push_back(points.back());
  return kept;
}

}  // namespace firm
