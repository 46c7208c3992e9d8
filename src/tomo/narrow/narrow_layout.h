// NarrowLayout: places of pixels and rays in the scratch memory of a narrow pass.
//
//   pixels:  [tile][block of slots][row of the tile][slot of the block][kTileStride]
//   rays:    [view][column][ray_stride]
//
// slot = orientation * columns + column, so that the slots of a family are consecutive, and in the
// same order as its rays. All orientations share one grid of tiles, which covers every frame. If
// the image is not square, upright and transposed frames differ, and the grid has the shape of an
// L: tiles beyond both frames are left out.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

struct SlotRange {
  int begin;
  int end;
};

class NarrowLayout {
 public:
  NarrowLayout(const StripPlan& plan, std::size_t columns);

  int columns() const { return columns_; }
  int blocks() const { return (slots_ + block_slots_ - 1) / block_slots_; }
  std::size_t tiles() const {
    return upper_tiles_ + size(down_ - upper_rows_) * size(lower_across_);
  }

  Tile tile(std::size_t index) const {
    const bool upper = index < upper_tiles_;
    const auto t = static_cast<int>(upper ? index : index - upper_tiles_);
    const int across = upper ? across_ : lower_across_;
    const int row = t / across + (upper ? 0 : upper_rows_);
    return {t % across * tile_width_, row * tile_height_, tile_width_, tile_height_};
  }
  // The tile of a pixel of some frame.
  std::size_t tile_at(int x, int y) const {
    const int row = y / tile_height_;
    const int column = x / tile_width_;
    return row < upper_rows_
               ? size(row) * size(across_) + size(column)
               : upper_tiles_ + size(row - upper_rows_) * size(lower_across_) + size(column);
  }

  SlotRange block(int index) const {
    const int begin = index * block_slots_;
    return {begin, std::min(begin + block_slots_, slots_)};
  }
  // The slots of a family that lie in a block; empty if begin >= end.
  SlotRange overlap(const Family& f, SlotRange block) const {
    return {std::max(block.begin, f.first_orientation * columns_),
            std::min(block.end, (f.first_orientation + f.members) * columns_)};
  }

  std::size_t row_stride() const { return static_cast<std::size_t>(block_slots_ * kTileStride); }
  std::size_t pixel_floats() const { return tiles() * tile_floats(); }
  // Start of a slot's row 0 in a tile.
  std::size_t pixel_offset(std::size_t tile, int slot) const {
    return tile * tile_floats() +
           static_cast<std::size_t>(slot / block_slots_) * row_stride() *
               static_cast<std::size_t>(tile_height_) +
           static_cast<std::size_t>(slot % block_slots_ * kTileStride);
  }

  // Start of the margin of the rays that belong to a slot of a family.
  std::size_t ray_offset(const Family& f, int slot) const {
    return (f.first_view * static_cast<std::size_t>(columns_) +
            static_cast<std::size_t>(slot - f.first_orientation * columns_)) *
           ray_stride_;
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  std::size_t tile_floats() const { return size(blocks() * tile_height_) * row_stride(); }

  int columns_;
  int slots_;
  int block_slots_;
  int tile_width_;
  int tile_height_;
  int down_;          // rows of tiles
  int upper_rows_;    // rows of tiles that the widest frame has
  int across_;        // tiles of such a row
  int lower_across_;  // tiles of the other rows
  std::size_t upper_tiles_;
  std::size_t ray_stride_;
};

}  // namespace firm
