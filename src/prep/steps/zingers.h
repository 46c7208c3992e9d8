// Zingers: single values far too large because of a stray photon or a spark.
#pragma once

#include "prep/sinogram.h"

namespace firm {

// Marks values v with
//     |v - m| > threshold * max(|m|, M)
// m is the median of the usable values among v and its up to eight neighbours: adjacent beamlets,
// and the angles measured before and after, of the same slice. M is the mean of |m| over the slice,
// so that noise does not stand out where there is no signal (XRF). Skips slices in which M is 0.
void mark_zingers(double threshold, Sinogram& s);

}  // namespace firm
