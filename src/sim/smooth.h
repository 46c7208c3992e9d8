// Elements without any edge: Gaussian blobs of several sizes, a gradient across a wide bump, waves.
#pragma once

#include <functional>
#include <vector>

#include "firm/block.h"

namespace firm {

// A density at a point of [-1, 1]^2; x to the right, y downwards.
using SmoothDensity = std::function<double(double x, double y)>;

const std::vector<SmoothDensity>& smooth_elements();

// Draws an element, turned by an angle, into a column of images of n x n pixels: means over 4 x 4
// points of each pixel.
void sample(const SmoothDensity& value_at, double degrees, int n, std::size_t column,
            Block& images);

}  // namespace firm
