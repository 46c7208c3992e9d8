#include "tomo/wide/wide_pass.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/interruption.h"
#include "core/parallel.h"
#include "firm/error.h"
#include "tomo/wide/wide_copy.h"

namespace firm {
namespace {

// Floats of a tile's row in the forward projection. With its kWideRows rows a tile takes 64 KiB,
// and a kernel visits four at once; found by trial on a processor with 512 KiB of second-level
// cache.
constexpr std::size_t kTileRowFloats = 512;

int tile_width(std::size_t columns) { return static_cast<int>(kTileRowFloats / columns); }

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Families of a task, at the least a quarter of a thread's part to even out the load. Each task
// reads the whole image, so that with many families half is better.
std::size_t families_per_task(std::size_t families, int threads) {
  const auto n = static_cast<std::size_t>(threads);
  const std::size_t parts = families >= 16 * n ? 2 * n : 4 * n;
  return ceil_div(families, std::min(families, parts));
}

// Families from the k-th on, before `end`, that a kernel can take together.
int families_together(const std::vector<Family>& families, std::size_t k, std::size_t end) {
  const auto alike = [&](const Family& f) {
    return f.first_orientation == families[k].first_orientation && f.members == families[k].members;
  };
  int count = 1;
  for (std::size_t next = k + 1; next < end && count < kWideFamilies; ++next, ++count) {
    if (!alike(families[next])) break;
  }
  return count;
}

bool wide_crowds(std::size_t row_floats) { return crowds(row_floats, 32); }

// Whether places within a tile, the rays that leave it included, are too many bytes apart for the
// kernel's 32 bits.
bool too_far(std::size_t row_floats, std::size_t columns) {
  const auto rows = static_cast<std::size_t>(tile_width(columns) + 2 * kWideRows);
  return row_floats * sizeof(float) >= std::numeric_limits<std::int32_t>::max() / rows;
}

// Floats of a copy of the image; 0: none is needed.
std::size_t pixel_floats(const Geometry& g, std::size_t columns, std::size_t block_columns) {
  const auto width = static_cast<std::size_t>(g.image_columns);
  const bool copies = wide_crowds(width * block_columns) || too_far(width * block_columns, columns);
  return copies ? static_cast<std::size_t>(g.image_rows) * spread(width * columns) : 0;
}

// Floats of a copy of the rays; 0: none is needed.
std::size_t ray_floats(const Geometry& g, std::size_t columns, std::size_t block_columns) {
  const auto beamlets = static_cast<std::size_t>(g.beamlets);
  return wide_crowds(beamlets * block_columns) ? g.angles.size() * spread(beamlets * columns) : 0;
}

}  // namespace

WidePass::WidePass(const WidePlan& plan, const StripKernel& kernel, int threads,
                   std::size_t columns, std::size_t block_columns, HeldViews* held)
    : plan_(plan), kernel_(kernel), threads_(threads), held_(held) {
  const Geometry& g = plan.geometry();
  if (const std::size_t n = pixel_floats(g, columns, block_columns)) pixels_ = Buffer<float>(n);
  if (const std::size_t n = ray_floats(g, columns, block_columns)) rays_ = Buffer<float>(n);
}

std::size_t WidePass::bytes() const { return (pixels_.size() + rays_.size()) * sizeof(float); }

std::size_t WidePass::bytes_for(const Geometry& geometry, std::size_t columns,
                                std::size_t block_columns) {
  return (pixel_floats(geometry, columns, block_columns) +
          ray_floats(geometry, columns, block_columns)) *
         sizeof(float);
}

WidePass::Source WidePass::source(const Block& block, ColumnRange columns, std::size_t row_length,
                                  Buffer<float>& copy) {
  if (copy.size() == 0) {
    return {block.data() + columns.begin, block.columns(), row_length * block.columns()};
  }
  copy_columns(block, columns, row_length, threads_, copy);
  return {copy.data(), columns.count, spread(row_length * columns.count)};
}

void WidePass::forward(const Block& x, ColumnRange columns, Block& y) {
  const Source from =
      source(x, columns, static_cast<std::size_t>(plan_.geometry().image_columns), pixels_);
  const std::size_t families = plan_.strips().families().size();
  for (std::size_t begin = 0, end = 0; begin < families; begin = end) {
    end = hold_families(begin);
    const std::size_t chunk = families_per_task(end - begin, threads_);
    parallel_for(ceil_div(end - begin, chunk), threads_, [&](std::size_t task) {
      const std::size_t first = begin + task * chunk;
      forward_task(from, columns, y, first, std::min(first + chunk, end));
    });
  }
}

std::size_t WidePass::hold_families(std::size_t begin) {
  const StripPlan& strips = plan_.strips();
  if (held_ == nullptr) return strips.families().size();
  held_->start();
  std::size_t end = begin;
  for (; end < strips.families().size(); ++end) {
    const Family& f = strips.families()[end];
    const auto members = static_cast<std::size_t>(f.members);
    if (!held_->add({strips.views().data() + f.first_view, members})) break;
  }
  held_->make();
  return end;
}

std::size_t WidePass::hold_pairs(std::size_t begin) {
  const std::vector<AdjointPair>& pairs = plan_.pairs();
  if (held_ == nullptr) return pairs.size();
  held_->start();
  std::size_t angles[2 * kWideBatch];
  std::size_t end = begin;
  while (end < pairs.size()) {
    const auto batch = static_cast<std::size_t>(plan_.batch(end, kWideBatch));
    std::size_t count = 0;
    for (std::size_t k = end; k < end + batch; ++k) {
      for (int m = 0; m < pairs[k].members; ++m) angles[count++] = pairs[k].angle[m];
    }
    if (!held_->add({angles, count})) break;
    end += batch;
  }
  held_->make();
  return end;
}

WideTransmittance WidePass::transmittance(ColumnRange columns) const {
  if (held_ == nullptr) return {};
  const TransmittanceLayout& layout = held_->layout();
  return {held_->views(), layout.shift(), static_cast<std::ptrdiff_t>(layout.columns()),
          static_cast<std::ptrdiff_t>(layout.frames().front().row_elements),
          columns.begin + columns.origin};
}

void WidePass::forward_task(const Source& x, ColumnRange columns, Block& y,
                            std::size_t family_begin, std::size_t family_end) const {
  const StripPlan& strips = plan_.strips();
  const Geometry& g = plan_.geometry();
  const auto beamlets = static_cast<std::size_t>(g.beamlets);
  int width = 0;
  int height = 0;
  for (std::size_t k = family_begin; k < family_end; ++k) {
    const Family& f = strips.families()[k];
    const Orientation& o = strips.orientations()[static_cast<std::size_t>(f.first_orientation)];
    width = std::max(width, o.width);
    height = std::max(height, o.height);
    for (int m = 0; m < f.members; ++m) {
      const std::size_t angle = strips.views()[f.first_view + static_cast<std::size_t>(m)];
      zero_rows(y, columns, angle * beamlets, (angle + 1) * beamlets);
    }
  }
  WideForwardJob job{};
  job.plan = &plan_;
  job.centred = plan_.centred();
  job.rays = {0, job.centred ? (g.beamlets + 1) / 2 : g.beamlets};
  job.columns = static_cast<int>(columns.count);
  job.x = x.data;
  job.x_stride = x.stride;
  job.x_row_stride = x.row_stride;
  job.y = y.data() + columns.begin;
  job.y_stride = y.columns();
  job.transmittance = transmittance(columns);
  job.tile.width = tile_width(columns.count);
  for (int y0 = 0; y0 < height; y0 += kWideRows) {
    // Rays left of the frame may enter it further down.
    for (int x0 = -kWideRows - 2; x0 < width; x0 += job.tile.width) {
      if (interruption_seen()) return;
      job.tile.x0 = x0;
      job.tile.y0 = y0;
      forward_tile(job, family_begin, family_end);
    }
  }
}

void WidePass::forward_tile(WideForwardJob job, std::size_t family_begin,
                            std::size_t family_end) const {
  const StripPlan& strips = plan_.strips();
  for (std::size_t k = family_begin; k < family_end;) {
    job.family = &strips.families()[k];
    job.families = families_together(strips.families(), k, family_end);
    k += static_cast<std::size_t>(job.families);
    const auto first = static_cast<std::size_t>(job.family->first_orientation);
    const Orientation& o = strips.orientations()[first];
    job.tile.height = std::min(kWideRows, o.height - job.tile.y0);
    if (job.tile.x0 < o.width && job.tile.height > 0) kernel_.wide.forward(job);
  }
}

void WidePass::adjoint(const Block& y, ColumnRange columns, Block& x) {
  const Source from =
      source(y, columns, static_cast<std::size_t>(plan_.geometry().beamlets), rays_);
  const int rows = plan_.geometry().image_rows;
  const std::size_t bands = ceil_div(static_cast<std::size_t>(rows), kWideTileHeight);
  for (std::size_t begin = 0, end = 0; begin < plan_.pairs().size(); begin = end) {
    end = hold_pairs(begin);
    parallel_for(bands, threads_, [&](std::size_t band) {
      const int first = static_cast<int>(band) * kWideTileHeight;
      adjoint_task(from, columns, x,
                   {begin, end, {first, std::min(first + kWideTileHeight, rows)}});
    });
  }
}

// If the detector is centred, pixels in the lower half of the image take the weights of those
// opposite, as in the paired pass.
void WidePass::adjoint_task(const Source& y, ColumnRange columns, Block& x,
                            const AdjointPart& part) const {
  const Range rows = part.rows;
  const Geometry& g = plan_.geometry();
  const auto width = static_cast<std::size_t>(g.image_columns);
  if (part.begin == 0) {
    zero_rows(x, columns, static_cast<std::size_t>(rows.begin) * width,
              static_cast<std::size_t>(rows.end) * width);
  }
  const int middle = plan_.centred()
                         ? std::clamp(g.image_rows - g.image_rows / 2, rows.begin, rows.end)
                         : rows.end;
  adjoint_rows(y, columns, x, {part.begin, part.end, {rows.begin, middle}}, false);
  adjoint_rows(y, columns, x,
               {part.begin, part.end, {g.image_rows - rows.end, g.image_rows - middle}}, true);
}

void WidePass::adjoint_rows(const Source& y, ColumnRange columns, Block& x, const AdjointPart& part,
                            bool opposite) const {
  const Range rows = part.rows;
  if (rows.begin >= rows.end) return;
  const int width = plan_.geometry().image_columns;
  const std::vector<AdjointPair>& pairs = plan_.pairs();
  for (int x0 = 0; x0 < width && !interruption_seen(); x0 += kWideChunk) {
    const Tile tile{x0, rows.begin, std::min(kWideChunk, width - x0), rows.end - rows.begin};
    for (std::size_t k = part.begin; k < part.end;) {
      const int batch = plan_.batch(k, kWideBatch);
      kernel_.wide.adjoint({&plan_, &pairs[k], batch, tile, opposite,
                            static_cast<int>(columns.count), y.data, y.stride, y.row_stride,
                            x.data() + columns.begin, x.columns(), transmittance(columns)});
      k += static_cast<std::size_t>(batch);
    }
  }
}

}  // namespace firm
