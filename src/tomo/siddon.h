// The slow, plain way to the entries of A: one ray at a time, in double precision.
//
// This is the reference against which every fast kernel is tested, and the source of the stored
// matrix that benchmarks compare with (R. L. Siddon, Med. Phys. 12 (1985) 252).
#pragma once

#include <cstddef>
#include <functional>

#include "firm/geometry.h"

namespace firm {

// Called once for each pixel that a ray crosses with a positive length (cm).
using PixelVisitor = std::function<void(std::size_t pixel, double length)>;

// Visits the pixels of one ray in the order in which the ray meets them.
void trace_ray(const Geometry& geometry, std::size_t angle, int beamlet, const PixelVisitor& visit);

}  // namespace firm
