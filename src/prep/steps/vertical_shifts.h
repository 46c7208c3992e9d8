// Takes out the motion of a stage across the slices.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Slices of a sinogram: numbers count from its first one.
struct SliceWindow {
  std::size_t first = 0;
  std::size_t count = 0;
};

// The slices `window` of the object, which appears `shifts[k]` slices further along the columns of
// a block at angle k: slice z is taken at z + shifts[k] of `s`, by linear interpolation. Marks
// values that need a marked one, with its reason, and those beyond the slices of `s`.
Sinogram without_vertical_shifts(const Sinogram& s, const std::vector<double>& shifts,
                                 const SliceWindow& window);

}  // namespace firm
