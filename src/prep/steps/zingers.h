// Zingers: single values that a stray photon or a spark has made far too large.
#pragma once

#include "prep/sinogram.h"

namespace firm {

// Marks values v with
//     |v - m| > threshold * max(|m|, M)
// m is the median of the usable values among v and its up to eight neighbours: beamlets beside it
// and angles before and after it in the order in which they were measured, of the same slice. M is
// the mean of |m| over the slice, so that where there is nothing (XRF), noise does not stand out. A
// slice in which M is 0 is left alone.
void mark_zingers(double threshold, Sinogram& s);

}  // namespace firm
