// Copies between Blocks (columns innermost) and the scratch memory of a narrow pass.
#pragma once

#include "firm/block.h"
#include "tomo/narrow/narrow_layout.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

// Copies the image to all slots of one tile, without touching its margins. `pixels` and `rays` are
// the starts of the scratch memory.
void pack_tile(const Block& x, ColumnRange columns, const StripPlan& plan,
               const NarrowLayout& layout, const NarrowFunctions& kernel, std::size_t tile,
               float* pixels);

// Copies the sinogram to the rays of a family, times the scale of its weights, and zeroes the
// margins.
void pack_rays(const Block& y, ColumnRange columns, const StripPlan& plan, const Family& family,
               float* rays);

// y = scale * rays.
void unpack_rays(const float* rays, const StripPlan& plan, const Family& family,
                 ColumnRange columns, Block& y);

}  // namespace firm
