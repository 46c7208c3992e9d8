// Adds up the frames of a narrow adjoint into the image.
#pragma once

#include "firm/block.h"
#include "tomo/narrow/narrow_layout.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"

namespace firm {

// x = sum over orientations, in up to kPatchRows rows of the image from `row` on. `pixels` is the
// start of the scratch memory.
void gather_band(const float* pixels, const StripPlan& plan, const NarrowLayout& layout,
                 const NarrowFunctions& kernel, ColumnRange columns, int row, Block& x);

}  // namespace firm
