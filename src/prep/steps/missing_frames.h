// Frames that were never written read as 0: the scan was stopped, or files that this one refers to
// are missing.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Angles whose values are all 0, if the others have at least 20 nonzero values on average: counts
// are then 0 by chance with a probability of exp(-20). Empty if all angles are 0.
std::vector<std::size_t> missing_frames(const Sinogram& s);

void mark_missing(const std::vector<std::size_t>& missing, Sinogram& s);

}  // namespace firm
