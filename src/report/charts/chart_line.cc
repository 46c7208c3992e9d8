#include "report/charts/chart_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace firm {
namespace {

// Points closer than this, in pixels, are merged: the distance is less than a line is wide, and
// small zigzags would use up the dashes.
constexpr double kMergeDistance = 0.75;

// Rounds to 1/16 pixel, which the eye cannot see and which is short in an SVG.
double rounded(double pixel) { return std::round(pixel * 16) / 16; }

Point point_at(double x, double y, const Scales& scales) {
  return {rounded(scales.x.pixel(x)), rounded(scales.y.pixel(y))};
}

bool both_drawable(double x, double y, const Scales& scales) {
  return drawable(x, scales.x.log()) && drawable(y, scales.y.log());
}

void add(Polyline& line, const Point& p) {
  if (line.empty() || p != line.back()) line.push_back(p);
}

// Number of the half-pixel column that a point is in.
double column_of(Point p, double left, double right) {
  return std::floor(2 * std::clamp(p.x, left - 1, right + 1));
}

// Calls use(begin, end) for every run of points in one column.
template <typename Use>
void for_columns(std::span<const Point> points, double left, double right, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    const double column = column_of(points[begin], left, right);
    while (end < points.size() && column_of(points[end], left, right) == column) ++end;
    use(begin, end);
  }
}

bool higher(const Point& a, const Point& b) { return a.y < b.y; }

// One side of a band: the outermost y of every column.
Polyline edge(std::span<const Point> points, const Scales& scales, bool upper) {
  Polyline result;
  for_columns(points, scales.left(), scales.right(), [&](std::size_t begin, std::size_t end) {
    const auto column = points.subspan(begin, end - begin);
    const auto [top, bottom] = std::minmax_element(column.begin(), column.end(), higher);
    const double y = upper ? top->y : bottom->y;
    result.push_back({column.front().x, y});
    if (end - begin > 1) result.push_back({column.back().x, y});
  });
  return result;
}

Polyline outline(const Polyline& upper, const Polyline& lower, const Scales& scales) {
  Polyline result = edge(upper, scales, true);
  const Polyline back = edge(lower, scales, false);
  result.insert(result.end(), back.rbegin(), back.rend());
  return result;
}

}  // namespace

Polyline thinned(std::span<const Point> points, double left, double right) {
  Polyline result;
  for_columns(points, left, right, [&](std::size_t begin, std::size_t end) {
    const auto column = points.subspan(begin, end - begin);
    const auto [top, bottom] = std::minmax_element(column.begin(), column.end(), higher);
    if (bottom->y - top->y < kMergeDistance &&
        std::abs(column.back().x - column.front().x) < kMergeDistance) {
      add(result, {(column.front().x + column.back().x) / 2, (top->y + bottom->y) / 2});
      return;
    }
    std::array kept = {column.begin(), top, bottom, column.end() - 1};
    std::sort(kept.begin(), kept.end());
    for (const auto& point : kept) add(result, *point);
  });
  return result;
}

std::vector<Polyline> line_pieces(const Series& series, const Scales& scales) {
  std::vector<Polyline> pieces;
  Polyline piece;
  const auto finish = [&] {
    if (!piece.empty()) pieces.push_back(thinned(piece, scales.left(), scales.right()));
    piece.clear();
  };
  for (std::size_t k = 0; k < series.x.size(); ++k) {
    if (both_drawable(series.x[k], series.y[k], scales)) {
      piece.push_back(point_at(series.x[k], series.y[k], scales));
    } else {
      finish();
    }
  }
  finish();
  return pieces;
}

std::vector<Polyline> band_pieces(const Series& series, const Scales& scales) {
  std::vector<Polyline> pieces;
  Polyline upper;
  Polyline lower;
  const auto finish = [&] {
    if (!upper.empty()) pieces.push_back(outline(upper, lower, scales));
    upper.clear();
    lower.clear();
  };
  for (std::size_t k = 0; k < series.low.size(); ++k) {
    double low = series.low[k];
    if (scales.y.log() && low <= 0) low = scales.y.range().low;
    if (both_drawable(series.x[k], low, scales) && drawable(series.high[k], scales.y.log())) {
      upper.push_back(point_at(series.x[k], series.high[k], scales));
      lower.push_back(point_at(series.x[k], low, scales));
    } else {
      finish();
    }
  }
  finish();
  return pieces;
}

Polyline marker_points(const Series& series, const Scales& scales) {
  Polyline result;
  std::set<std::pair<double, double>> taken;
  for (std::size_t k = 0; k < series.x.size(); ++k) {
    if (!both_drawable(series.x[k], series.y[k], scales)) continue;
    const Point p = point_at(series.x[k], series.y[k], scales);
    if (p.x < scales.left() - 0.1 || p.x > scales.right() + 0.1) continue;
    if (p.y < scales.top() - 0.1 || p.y > scales.bottom() + 0.1) continue;
    if (taken.emplace(std::floor(p.x / 2), std::floor(p.y / 2)).second) result.push_back(p);
  }
  return result;
}

}  // namespace firm
