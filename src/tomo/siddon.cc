#include "tomo/siddon.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace firm {
namespace {

// Lengths below this fraction of a pixel are rounding of a ray that passes through a corner.
constexpr double kCornerTolerance = 1e-9;

struct Segment {
  double begin;
  double end;
};

// Everything below is in units of pixels: u to the right from the left edge, v down from the top.
struct Line {
  double u0, v0;  // a point on the line
  double du, dv;  // unit direction
};

// Part of the line's parameter within 0 <= coordinate <= size.
Segment clip(Segment part, double origin, double slope, double size) {
  if (slope == 0) return origin > 0 && origin < size ? part : Segment{0, 0};
  const double a = -origin / slope;
  const double b = (size - origin) / slope;
  return {std::max(part.begin, std::min(a, b)), std::min(part.end, std::max(a, b))};
}

// Parameters at which the line meets the inner grid lines coordinate = 1, 2, .., size - 1.
void add_crossings(double origin, double slope, int size, const Segment& part,
                   std::vector<double>& crossings) {
  if (slope == 0) return;
  for (int k = 1; k < size; ++k) {
    const double a = (k - origin) / slope;
    if (a > part.begin && a < part.end) crossings.push_back(a);
  }
}

// A line along a pixel edge: half of the length to the pixels on either side. `step` leads from a
// pixel to the next one along the line, `across` from one side of the edge to the other.
void visit_edge(int edge, int lanes, int count, std::size_t step, std::size_t across,
                double pixel_size, const PixelVisitor& visit) {
  for (int k = 0; k < count; ++k) {
    for (const int lane : {edge - 1, edge}) {
      if (lane < 0 || lane >= lanes) continue;
      visit(static_cast<std::size_t>(k) * step + static_cast<std::size_t>(lane) * across,
            0.5 * pixel_size);
    }
  }
}

// Not beyond the image: there, the number of the edge may be too large for an int.
bool on_edge(double coordinate, int size) {
  if (coordinate < -0.5 || coordinate > size + 0.5) return false;
  return std::abs(coordinate - std::round(coordinate)) < kCornerTolerance;
}

}  // namespace

void trace_ray(const Geometry& g, std::size_t angle, int beamlet, const PixelVisitor& visit) {
  const auto [c, s] = direction(g.angles[angle]);
  const double t = g.coordinate(angle, beamlet) / g.pixel_size;
  const auto columns = static_cast<std::size_t>(g.image_columns);
  // The point of the line nearest to the origin is t (c, s), its direction (-s, c); v = -Y.
  const Line line{g.image_columns / 2.0 + t * c, g.image_rows / 2.0 - t * s, -s, -c};

  if (s == 0 && on_edge(line.u0, g.image_columns)) {
    visit_edge(static_cast<int>(std::lround(line.u0)), g.image_columns, g.image_rows, columns, 1,
               g.pixel_size, visit);
    return;
  }
  if (c == 0 && on_edge(line.v0, g.image_rows)) {
    visit_edge(static_cast<int>(std::lround(line.v0)), g.image_rows, g.image_columns, 1, columns,
               g.pixel_size, visit);
    return;
  }

  constexpr double kFar = 1e300;
  Segment part = clip({-kFar, kFar}, line.u0, line.du, g.image_columns);
  part = clip(part, line.v0, line.dv, g.image_rows);
  if (!(part.end > part.begin)) return;

  std::vector<double> crossings{part.begin, part.end};
  add_crossings(line.u0, line.du, g.image_columns, part, crossings);
  add_crossings(line.v0, line.dv, g.image_rows, part, crossings);
  std::sort(crossings.begin(), crossings.end());

  for (std::size_t k = 0; k + 1 < crossings.size(); ++k) {
    const double length = crossings[k + 1] - crossings[k];
    if (length < kCornerTolerance) continue;
    const double middle = crossings[k] + 0.5 * length;
    const auto column = static_cast<std::size_t>(line.u0 + middle * line.du);
    const auto row = static_cast<std::size_t>(line.v0 + middle * line.dv);
    visit(row * columns + column, length * g.pixel_size);
  }
}

}  // namespace firm
