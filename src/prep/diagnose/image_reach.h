// Signal at rays that miss the image.
#pragma once

#include <cstddef>

#include "firm/study.h"

namespace firm {

// Smaller side of the image, in cm.
double smaller_side(const Geometry& g);

// Whether the detector reaches to the ends of the image on both sides of the rotation axis, so that
// its outermost beamlets should see nothing.
bool covers_image(const Geometry& g);

struct Signal {
  std::size_t all = 0;      // values with signal
  std::size_t missing = 0;  // those whose rays miss the image, by more than a beamlet
  double side = 0;          // side of a square image that holds all signal, in cm
};

// Counts values far above the noise. Two neighbouring beamlets must have signal, so that single
// wrong values do not count.
Signal find_signal(const Site& site, const SiteData& data);

}  // namespace firm
