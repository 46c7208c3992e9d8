// An object of three elements with different sinograms: three overlapping discs.
#pragma once

#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

// Centre and radius, as fractions of the image's side.
struct Disc {
  double x;
  double y;
  double radius;
};

inline const std::vector<Disc> kThreeDiscs = {
    {0.4, 0.45, 0.25}, {0.62, 0.4, 0.15}, {0.5, 0.7, 0.12}};

// `value` inside the disc, 0 outside.
Block image_of(const Disc& disc, const Geometry& g, double value);

Block sinogram_of(const Block& image, const Geometry& g);

// sum += factor * more
void add_to(Block& sum, const Block& more, double factor);

}  // namespace firm
