#include "tomo/narrow_pack.h"

#include <algorithm>
#include <cstdlib>

namespace firm {
namespace {

// One slot of a tile: frame pixel (x, y) of the tile is in[x * dx + y * dy].
void pack_slot(const float* in, std::ptrdiff_t dx, std::ptrdiff_t dy, int width, int height,
               std::size_t row_stride, float* out) {
  // Pixels are moved in squares, so that neither side of a transpose thrashes the cache; along rows
  // of memory in one go.
  const int square = std::abs(dx) == 1 ? width : 16;
  for (int yb = 0; yb < height; yb += 16) {
    for (int xb = 0; xb < width; xb += square) {
      const int n = std::min(square, width - xb);
      for (int r = yb; r < std::min(yb + 16, height); ++r) {
        const float* from = in + xb * dx + r * dy;
        float* to = out + static_cast<std::size_t>(r) * row_stride + xb;
        if (dx == 1) {
          std::copy_n(from, n, to);
        } else if (dx == -1) {
          std::reverse_copy(from - (n - 1), from + 1, to);
        } else {
          for (int k = 0; k < n; ++k) to[k] = from[k * dx];
        }
      }
    }
  }
}

// Zero what a tile at the frame's edge has beyond it.
void zero_outside(const Tile& t, int width, int height, std::size_t row_stride, float* out) {
  for (int r = 0; r < t.height; ++r) {
    float* row = out + static_cast<std::size_t>(r) * row_stride;
    std::fill(row + (r < height ? width : 0), row + t.width, 0.0f);
  }
}

// Where a frame's pixels lie, for one slot. Remembers the tile of the last pixel, since the next
// one is nearly always in the same.
class FrameReader {
 public:
  FrameReader(const float* pixels, const NarrowLayout& layout, int pad, int slot)
      : pixels_(pixels), layout_(layout), pad_(pad), slot_(slot) {}

  // n neighbouring pixels of a row from (x, y) on, tile by tile: visit(index, values, count).
  template <typename Visit>
  void visit_run(int x, int y, int n, const Visit& visit) {
    for (int done = 0; done < n;) {
      find(x + done, y);
      const int count = std::min(n - done, tile_.x0 + tile_.width - (x + done));
      visit(done,
            start_ + static_cast<std::size_t>(y - tile_.y0) * layout_.row_stride() +
                (x + done - tile_.x0),
            count);
      done += count;
    }
  }

  // Asks for the cache line of a pixel that will be wanted soon.
  void prefetch(int x, int y) {
    find(x, y);
    __builtin_prefetch(start_ + static_cast<std::size_t>(y - tile_.y0) * layout_.row_stride() +
                       (x - tile_.x0));
  }

 private:
  void find(int x, int y) {
    if (x >= tile_.x0 && x < tile_.x0 + tile_.width && y >= tile_.y0 &&
        y < tile_.y0 + tile_.height) {
      return;
    }
    const std::size_t index = layout_.tile_at(x, y);
    tile_ = layout_.tile(index);
    start_ = pixels_ + layout_.pixel_offset(index, slot_) + pad_;
  }

  const float* pixels_;
  const NarrowLayout& layout_;
  int pad_;
  int slot_;
  Tile tile_{0, 0, 0, 0};
  const float* start_ = nullptr;
};

// to[k] += from[k], or in reverse order.
void add_run(const float* from, int n, bool reverse, float* to) {
  if (reverse) {
    for (int k = 0; k < n; ++k) to[-k] += from[k];
  } else {
    for (int k = 0; k < n; ++k) to[k] += from[k];
  }
}

// Part of a band of the image in which the orientations are added up: those that are transposed in
// a transposed array, so that all additions run along rows.
constexpr int kPatchColumns = 64;
constexpr int kLine = 16;  // floats of a cache line
struct Patch {
  int row, column;    // of the image
  int rows, columns;  // size
  float upright[kBandRows][kPatchColumns] = {};
  float transposed[kPatchColumns][kBandRows] = {};

  // Of a transposed frame every row is on cache lines of its own, which hardware does not foresee.
  void prefetch(const Geometry& g, const Orientation& o, FrameReader reader) const {
    if (!o.transposed) return;
    const int i0 = o.up() ? g.image_rows - row - rows : row;
    for (int j = column; j < column + columns; ++j) {
      for (int i = 0; i < rows; i += kLine) {
        reader.prefetch(i0 + i, o.left() ? g.image_columns - 1 - j : j);
      }
    }
  }

  void add(const Geometry& g, const Orientation& o, FrameReader reader) {
    const int i0 = o.up() ? g.image_rows - row - rows : row;
    const int j0 = o.left() ? g.image_columns - column - columns : column;
    if (o.transposed) {
      for (int j = 0; j < columns; ++j) {
        float* to = transposed[o.left() ? columns - 1 - j : j];
        reader.visit_run(i0, j0 + j, rows, [&](int first, const float* values, int count) {
          add_run(values, count, o.up(), to + (o.up() ? rows - 1 - first : first));
        });
      }
    } else {
      for (int i = 0; i < rows; ++i) {
        float* to = upright[o.up() ? rows - 1 - i : i];
        reader.visit_run(j0, i0 + i, columns, [&](int first, const float* values, int count) {
          add_run(values, count, o.left(), to + (o.left() ? columns - 1 - first : first));
        });
      }
    }
  }
};

}  // namespace

void pack_tile(const Block& x, ColumnRange columns, const StripPlan& plan,
               const NarrowLayout& layout, std::size_t tile, float* pixels) {
  const Tile t = layout.tile(tile);
  const Geometry& g = plan.geometry();
  const auto column = static_cast<std::ptrdiff_t>(x.columns());
  const std::ptrdiff_t row = column * g.image_columns;
  int slot = 0;
  for (const Orientation& o : plan.orientations()) {
    const float* corner = x.data() + (o.up() ? (g.image_rows - 1) * row : 0) +
                          (o.left() ? (g.image_columns - 1) * column : 0);
    const std::ptrdiff_t down = o.up() ? -row : row;
    const std::ptrdiff_t across = o.left() ? -column : column;
    const std::ptrdiff_t dx = o.transposed ? down : across;
    const std::ptrdiff_t dy = o.transposed ? across : down;
    const int width = std::clamp(o.width - t.x0, 0, t.width);
    const int height = std::clamp(o.height - t.y0, 0, t.height);
    for (std::size_t c = columns.begin; c < columns.begin + columns.count; ++c, ++slot) {
      float* out = pixels + layout.pixel_offset(tile, slot) + plan.pad();
      zero_outside(t, width, height, layout.row_stride(), out);
      pack_slot(corner + c + t.x0 * dx + t.y0 * dy, dx, dy, width, height, layout.row_stride(),
                out);
    }
  }
}

void unpack_band(const float* pixels, const StripPlan& plan, const NarrowLayout& layout,
                 ColumnRange columns, int row, Block& x) {
  const Geometry& g = plan.geometry();
  const int rows = std::min(kBandRows, g.image_rows - row);
  for (int column = 0; column < g.image_columns; column += kPatchColumns) {
    const int width = std::min(kPatchColumns, g.image_columns - column);
    for (std::size_t c = 0; c < columns.count; ++c) {
      Patch patch{row, column, rows, width};
      const auto each_orientation = [&](const auto& visit) {
        int slot = static_cast<int>(c);
        for (const Orientation& o : plan.orientations()) {
          visit(o, FrameReader(pixels, layout, plan.pad(), slot));
          slot += layout.columns();
        }
      };
      each_orientation([&](const Orientation& o, FrameReader r) { patch.prefetch(g, o, r); });
      each_orientation([&](const Orientation& o, FrameReader r) { patch.add(g, o, r); });
      for (int i = 0; i < rows; ++i) {
        const auto pixel =
            static_cast<std::size_t>(row + i) * static_cast<std::size_t>(g.image_columns) +
            static_cast<std::size_t>(column);
        float* to = x.data() + pixel * x.columns() + columns.begin + c;
        for (int j = 0; j < width; ++j) {
          to[static_cast<std::size_t>(j) * x.columns()] =
              patch.upright[i][j] + patch.transposed[j][i];
        }
      }
    }
  }
}

void pack_rays(const Block& y, ColumnRange columns, const StripPlan& plan, const Family& family,
               float* rays) {
  const auto beamlets = static_cast<std::size_t>(plan.geometry().beamlets);
  const float scale = family.adjoint_scale;
  for (int member = 0; member < family.members; ++member) {
    const std::size_t view = family.first_view + static_cast<std::size_t>(member);
    const std::size_t angle = plan.views()[view];
    for (std::size_t c = 0; c < columns.count; ++c) {
      const float* from = y.data() + angle * beamlets * y.columns() + columns.begin + c;
      float* to = rays + (view * columns.count + c) * plan.ray_stride();
      std::fill(to, to + plan.ray_pad(), 0.0f);
      std::fill(to + static_cast<std::size_t>(plan.ray_pad()) + beamlets, to + plan.ray_stride(),
                0.0f);
      to += plan.ray_pad();
      for (std::size_t j = 0; j < beamlets; ++j) to[j] = scale * from[j * y.columns()];
    }
  }
}

void unpack_rays(const float* rays, const StripPlan& plan, const Family& family,
                 ColumnRange columns, Block& y) {
  const auto beamlets = static_cast<std::size_t>(plan.geometry().beamlets);
  const float scale = family.forward_scale;
  for (int member = 0; member < family.members; ++member) {
    const std::size_t view = family.first_view + static_cast<std::size_t>(member);
    const std::size_t angle = plan.views()[view];
    for (std::size_t c = 0; c < columns.count; ++c) {
      const float* from = rays + (view * columns.count + c) * plan.ray_stride() + plan.ray_pad();
      float* to = y.data() + angle * beamlets * y.columns() + columns.begin + c;
      for (std::size_t j = 0; j < beamlets; ++j) {
        to[j * y.columns()] = scale * from[j];
      }
    }
  }
}

}  // namespace firm
