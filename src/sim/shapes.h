// Ellipses and bars, from which phantoms are drawn.
#pragma once

#include <cstddef>
#include <vector>

#include "firm/block.h"

namespace firm {

// Adds `value` where ((x'c + y's) / a)^2 + ((y'c - x's) / b)^2 <= 1 with x' = x - x0, y' = y - y0,
// c = cos(phi), s = sin(phi), on [-1, 1]^2; x to the right, y DOWNWARDS. A bar is the rectangle
// around that ellipse.
struct Ellipse {
  double value;
  double a, b;
  double x0, y0;
  double phi;  // degrees
  bool bar = false;
};

using Shapes = std::vector<Ellipse>;

Ellipse disc(double value, double radius, double x0, double y0);

// Writes the sum of the shapes, times `scale`, to a column of `images`, n x n pixels. Centres of
// the outermost pixels are at -1 and 1. Values below zero come from rounding or overlapping
// inclusions, and become zero; the smallest value of a shape is 0.1.
void draw(const Shapes& shapes, double scale, int n, std::size_t column, Block& images);

// The same for ellipses, but a pixel at an edge gets its share: the mean over 16 x 16 points. So
// masses and positions change smoothly with the shapes.
void draw_smoothly(const Shapes& ellipses, double scale, int n, std::size_t column, Block& images);

}  // namespace firm
