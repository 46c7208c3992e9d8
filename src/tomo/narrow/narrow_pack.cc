#include "tomo/narrow/narrow_pack.h"

#include <algorithm>
#include <cstdlib>

namespace firm {
namespace {

// Part of a frame and its source: pixel (x, y) is in[x * dx + y * dy].
struct FramePart {
  const float* in;
  std::ptrdiff_t dx;
  std::ptrdiff_t dy;
  int width;
  int height;

  const float* pixel(int x, int y) const { return in + x * dx + y * dy; }
  FramePart from(int x, int y) const { return {pixel(x, y), dx, dy, width - x, height - y}; }
};

// out[x + y * row_stride] = pixel (x, y).
void copy_part(const FramePart& part, std::size_t row_stride, float* out) {
  // In squares, so that neither side of a transpose thrashes the cache; along rows of memory in one
  // go.
  const int square = std::abs(part.dx) == 1 ? part.width : 16;
  for (int yb = 0; yb < part.height; yb += 16) {
    for (int xb = 0; xb < part.width; xb += square) {
      const int n = std::min(square, part.width - xb);
      for (int r = yb; r < std::min(yb + 16, part.height); ++r) {
        const float* from = part.pixel(xb, r);
        float* to = out + static_cast<std::size_t>(r) * row_stride + xb;
        if (part.dx == 1) {
          std::copy_n(from, n, to);
        } else if (part.dx == -1) {
          std::reverse_copy(from - (n - 1), from + 1, to);
        } else {
          for (int k = 0; k < n; ++k) to[k] = from[k * part.dx];
        }
      }
    }
  }
}

// copy_part for a transposed frame of an image of one column.
void turn_part(const FramePart& part, std::size_t row_stride, const NarrowFunctions& kernel,
               float* out) {
  const int width = part.width / kTurnSide * kTurnSide;
  const int height = part.height / kTurnSide * kTurnSide;
  kernel.turn({part.in, part.dx, part.dy < 0, width, height, out, row_stride});
  FramePart right = part.from(width, 0);
  right.height = height;
  copy_part(right, row_stride, out + width);
  copy_part(part.from(0, height), row_stride, out + static_cast<std::size_t>(height) * row_stride);
}

// Zeroes the pixels of a tile beyond the edge of the frame.
void zero_outside(const Tile& t, int width, int height, std::size_t row_stride, float* out) {
  for (int r = 0; r < t.height; ++r) {
    float* row = out + static_cast<std::size_t>(r) * row_stride;
    std::fill(row + (r < height ? width : 0), row + t.width, 0.0f);
  }
}

}  // namespace

void pack_tile(const Block& x, ColumnRange columns, const StripPlan& plan,
               const NarrowLayout& layout, const NarrowFunctions& kernel, std::size_t tile,
               float* pixels) {
  const Tile t = layout.tile(tile);
  const Geometry& g = plan.geometry();
  const std::size_t row = x.columns() * static_cast<std::size_t>(g.image_columns);
  int slot = 0;
  for (const Orientation& o : plan.orientations()) {
    const FrameSteps steps = frame_steps(g, o, row, x.columns());
    const float* corner = x.data() + steps.start + t.x0 * steps.dx + t.y0 * steps.dy;
    const int width = std::clamp(o.width - t.x0, 0, t.width);
    const int height = std::clamp(o.height - t.y0, 0, t.height);
    for (std::size_t c = columns.begin; c < columns.begin + columns.count; ++c, ++slot) {
      float* out = pixels + layout.pixel_offset(tile, slot) + plan.pad();
      zero_outside(t, width, height, layout.row_stride(), out);
      const FramePart part{corner + c, steps.dx, steps.dy, width, height};
      if (std::abs(steps.dy) == 1) {
        turn_part(part, layout.row_stride(), kernel, out);
      } else {
        copy_part(part, layout.row_stride(), out);
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
