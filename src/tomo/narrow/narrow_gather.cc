#include "tomo/narrow/narrow_gather.h"

#include <algorithm>
#include <array>

namespace firm {
namespace {

constexpr std::size_t kSymmetries = 8;  // of a square: orientations, at most

// Part of the image that lies, in every frame, within one tile along the frame's rows.
struct Patch {
  int row;
  int column;
  int rows;
  int columns;
};

// Pixels from `start` on, in one direction of an image of `size` pixels that runs along the rows of
// a frame, until the tile ends.
int until_tile_ends(int start, int size, bool reversed, int tile_width) {
  const int x = reversed ? size - 1 - start : start;
  return reversed ? x % tile_width + 1 : tile_width - x % tile_width;
}

Patch patch_at(const StripPlan& plan, int row, int column) {
  const Geometry& g = plan.geometry();
  Patch p{row, column, std::min(kPatchRows, g.image_rows - row),
          std::min(kPatchColumns, g.image_columns - column)};
  for (const Orientation& o : plan.orientations()) {
    if (o.transposed) {
      p.rows = std::min(p.rows, until_tile_ends(row, g.image_rows, o.up(), plan.tile_width()));
    } else {
      p.columns = std::min(p.columns,
                           until_tile_ends(column, g.image_columns, o.left(), plan.tile_width()));
    }
  }
  return p;
}

// The lines of one orientation and slot that meet a patch.
void find_lines(const float* pixels, const StripPlan& plan, const NarrowLayout& layout,
                const Orientation& o, int slot, const Patch& p, FrameLines& out) {
  const Geometry& g = plan.geometry();
  const int i0 = o.up() ? g.image_rows - 1 - p.row : p.row;
  const int j0 = o.left() ? g.image_columns - 1 - p.column : p.column;
  const int x = o.transposed ? i0 : j0;
  const int y0 = o.transposed ? j0 : i0;
  const bool upwards = o.transposed ? o.left() : o.up();
  const int count = o.transposed ? p.columns : p.rows;
  out.reversed = o.transposed ? o.up() : o.left();
  Tile tile{0, 0, 0, 0};
  const float* start = nullptr;  // of the tile's row 0
  for (int k = 0; k < count; ++k) {
    const int y = upwards ? y0 - k : y0 + k;
    if (start == nullptr || y < tile.y0 || y >= tile.y0 + tile.height) {
      const std::size_t index = layout.tile_at(x, y);
      tile = layout.tile(index);
      start = pixels + layout.pixel_offset(index, slot) + plan.pad();
    }
    out.line[k] = start + static_cast<std::size_t>(y - tile.y0) * layout.row_stride() + x - tile.x0;
  }
  // The kernel takes lines by the vector.
  std::fill(out.line + count, out.line + count + kMaxLanes, out.line[count - 1]);
}

// x = sum over orientations, in a patch and one column of the Block; `slot` is the one that the
// first orientation has for it.
void gather_patch(const float* pixels, const StripPlan& plan, const NarrowLayout& layout,
                  const NarrowFunctions& kernel, const Patch& p, int slot, std::size_t column,
                  Block& x) {
  const std::vector<Orientation>& orientations = plan.orientations();
  std::array<FrameLines, kSymmetries> frames;
  NarrowGatherJob job{};
  for (const bool transposed : {false, true}) {
    for (std::size_t k = 0; k < orientations.size(); ++k) {
      if (orientations[k].transposed != transposed) continue;
      FrameLines& lines = frames[static_cast<std::size_t>(job.upright + job.transposed)];
      find_lines(pixels, plan, layout, orientations[k],
                 slot + static_cast<int>(k) * layout.columns(), p, lines);
      ++(transposed ? job.transposed : job.upright);
    }
  }
  job.rows = p.rows;
  job.columns = p.columns;
  job.frames = frames.data();
  job.x_stride = x.columns();
  job.x_row_stride = static_cast<std::size_t>(plan.geometry().image_columns) * x.columns();
  job.x = x.data() + static_cast<std::size_t>(p.row) * job.x_row_stride +
          static_cast<std::size_t>(p.column) * job.x_stride + column;
  kernel.gather(job);
}

}  // namespace

void gather_band(const float* pixels, const StripPlan& plan, const NarrowLayout& layout,
                 const NarrowFunctions& kernel, ColumnRange columns, int row, Block& x) {
  const Geometry& g = plan.geometry();
  const int end = std::min(row + kPatchRows, g.image_rows);
  for (Patch p{}; row < end; row += p.rows) {
    for (int column = 0; column < g.image_columns; column += p.columns) {
      p = patch_at(plan, row, column);
      p.rows = std::min(p.rows, end - row);
      for (std::size_t c = 0; c < columns.count; ++c) {
        gather_patch(pixels, plan, layout, kernel, p, static_cast<int>(c), columns.begin + c, x);
      }
    }
  }
}

}  // namespace firm
