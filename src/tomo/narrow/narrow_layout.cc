#include "tomo/narrow/narrow_layout.h"

namespace firm {
namespace {

int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace

NarrowLayout::NarrowLayout(const StripPlan& plan, std::size_t columns)
    : columns_(static_cast<int>(columns)),
      slots_(columns_ * static_cast<int>(plan.orientations().size())),
      block_slots_(std::min(slots_, kNarrowSlots)),
      tile_width_(plan.tile_width()),
      ray_stride_(plan.ray_stride()) {
  int width = 0;
  int height = 0;
  for (const Orientation& o : plan.orientations()) {
    width = std::max(width, o.width);
    height = std::max(height, o.height);
  }
  across_ = ceil_div(width, tile_width_);
  down_ = ceil_div(height, kMaxTileHeight);
  tile_height_ = ceil_div(height, down_);
}

}  // namespace firm
