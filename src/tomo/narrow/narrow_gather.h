// From the frames of a narrow adjoint back to the image.
#pragma once

#include "firm/block.h"
#include "tomo/narrow/narrow_layout.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"

namespace firm {

// Up to kPatchRows rows of the image from `row` on: x = sum over orientations. `pixels` is the
// start of scratch.
void gather_band(const float* pixels, const StripPlan& plan, const NarrowLayout& layout,
                 const NarrowFunctions& kernel, ColumnRange columns, int row, Block& x);

}  // namespace firm
