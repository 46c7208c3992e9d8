// Between Blocks (columns innermost) and the scratch memory of a narrow pass.
#pragma once

#include "firm/block.h"
#include "tomo/narrow/narrow_layout.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

// Image to one tile, all slots; margins are left as they are. `pixels` and `rays` are the starts of
// scratch.
void pack_tile(const Block& x, ColumnRange columns, const StripPlan& plan,
               const NarrowLayout& layout, const NarrowFunctions& kernel, std::size_t tile,
               float* pixels);

// Sinogram to the rays of a family, times the scale of its weights; margins zeroed.
void pack_rays(const Block& y, ColumnRange columns, const StripPlan& plan, const Family& family,
               float* rays);

// The way back: y = scale * rays.
void unpack_rays(const float* rays, const StripPlan& plan, const Family& family,
                 ColumnRange columns, Block& y);

}  // namespace firm
