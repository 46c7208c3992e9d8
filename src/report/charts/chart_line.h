// Converts the points of a series to pixels and drops points that cannot be told apart.
#pragma once

#include <span>
#include <vector>

#include "report/charts/chart_axis.h"

namespace firm {

using Polyline = std::vector<Point>;

// Reduces consecutive points in the same half-pixel column to the first, lowest, highest and last,
// or to their middle if they are less than a pixel apart. All points left of `left` count as one
// column, and so do all points right of `right`.
Polyline thinned(std::span<const Point> points, double left, double right);

// The two scales of a chart, and the sides of its frame in pixels.
struct Scales {
  Scale x;
  Scale y;

  double left() const { return x.pixel(x.range().low); }
  double right() const { return x.pixel(x.range().high); }
  double top() const { return y.pixel(y.range().high); }
  double bottom() const { return y.pixel(y.range().low); }
};

// The pieces of the line between its breaks.
std::vector<Polyline> line_pieces(const Series& series, const Scales& scales);

// The outlines of the pieces of the band.
std::vector<Polyline> band_pieces(const Series& series, const Scales& scales);

// Positions of markers within the frame, at most one in a square of two pixels.
Polyline marker_points(const Series& series, const Scales& scales);

}  // namespace firm
