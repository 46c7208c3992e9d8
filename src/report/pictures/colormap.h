// Colours for values.
#pragma once

#include "report/pictures/canvas.h"

namespace firm {

enum class Colormap {
  kViridis,
  kGrey,
  kDiverging,  // blue, white in the middle, red: for differences
};

// The colour of t in [0, 1]; t is clamped, and what is not a number is magenta.
Rgb colour_of(Colormap map, double t);

}  // namespace firm
