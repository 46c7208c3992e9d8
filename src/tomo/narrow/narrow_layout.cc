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
  down_ = ceil_div(height, kMaxTileHeight);
  tile_height_ = ceil_div(height, down_);
  across_ = ceil_div(width, tile_width_);
  upper_rows_ = down_;
  lower_across_ = across_;
  for (const Orientation& o : plan.orientations()) {
    if (o.width == width) upper_rows_ = std::min(upper_rows_, ceil_div(o.height, tile_height_));
    if (o.height == height) lower_across_ = std::min(lower_across_, ceil_div(o.width, tile_width_));
  }
  upper_tiles_ = size(upper_rows_) * size(across_);
}

}  // namespace firm
