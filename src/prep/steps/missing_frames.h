// Frames that were never written: a scan that was stopped, or files that others refer to and that
// are not there, read as 0.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Angles of which all values are exactly 0, if the others have at least 20 values that are not, on
// the average: of counts, a frame is 0 by chance once in exp(20) then. Nothing where all are 0.
std::vector<std::size_t> missing_frames(const Sinogram& s);

void mark_missing(const std::vector<std::size_t>& missing, Sinogram& s);

}  // namespace firm
