// Colour maps.
#pragma once

#include "report/pictures/canvas.h"

namespace firm {

enum class Colormap {
  kViridis,
  kGrey,
  kDiverging,  // blue, white in the middle, red: for differences
};

// The colour of t, which is clamped to [0, 1]; NaN is magenta.
Rgb colour_of(Colormap map, double t);

}  // namespace firm
