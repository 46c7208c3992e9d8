// The points of a series in pixels, and no more of them than can be told apart.
#pragma once

#include <span>
#include <vector>

#include "report/charts/chart_axis.h"

namespace firm {

using Polyline = std::vector<Point>;

// Points next to each other in the list and within the same half pixel column are reduced to the
// first, lowest, highest and last, or to their middle when they are less than a pixel apart. All
// that is left of `left` is one column, all right of `right` another.
Polyline thinned(std::span<const Point> points, double left, double right);

// Where the values of a chart are drawn.
struct Scales {
  Scale x;
  Scale y;

  double left() const { return x.pixel(x.range().low); }
  double right() const { return x.pixel(x.range().high); }
  double top() const { return y.pixel(y.range().high); }
  double bottom() const { return y.pixel(y.range().low); }
};

// The line from break to break.
std::vector<Polyline> line_pieces(const Series& series, const Scales& scales);

// The outlines of the band.
std::vector<Polyline> band_pieces(const Series& series, const Scales& scales);

// The points within the frame, but one only in a square of two pixels.
Polyline marker_points(const Series& series, const Scales& scales);

}  // namespace firm
