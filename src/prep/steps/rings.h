// Ring removal: a beamlet that reads too high or too low at all angles causes a ring in the image.
#pragma once

#include <cstddef>

#include "prep/sinogram.h"

namespace firm {

// Removes stripes by sorting: Vo, Atwood, Drakopoulos, "Superior techniques for eliminating ring
// artifacts in X-ray micro-tomography", Optics Express 26 (2018), 28396, algorithm 3. The values of
// each beamlet are sorted over the angles; the k-th smallest of neighbouring beamlets are alike
// where there is no stripe, so each is replaced by the median over `window` beamlets (reflected at
// the ends; an even window counts as the next odd one), and put back at its angle. Marked values
// are interpolated for this, and stay unchanged.
void remove_rings(std::size_t window, Sinogram& s);

}  // namespace firm
