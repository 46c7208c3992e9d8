#include "tomo/attenuated/narrow_attenuated_pass.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/parallel.h"
#include "tomo/narrow/narrow_gather.h"
#include "tomo/narrow/narrow_pack.h"
#include "tomo/narrow/narrow_pass.h"

namespace firm {
namespace {

// Tasks per thread: enough to even out the load, few enough to reuse what is in the cache.
constexpr std::size_t kTasksPerThread = 4;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

NarrowAttenuatedPass::NarrowAttenuatedPass(StripPlan plan, const StripKernel& kernel, int threads,
                                           std::size_t columns, HeldViews& held)
    : plan_(std::move(plan)), kernel_(kernel), threads_(threads), held_(held) {
  std::size_t floats = 0;
  for (std::size_t n = 1; n <= columns; ++n) {
    floats = std::max(floats, NarrowLayout(plan_, n).pixel_floats());
  }
  pixels_ = Buffer<float>(floats);
  rays_ = Buffer<float>(plan_.views().size() * columns * plan_.ray_stride());
  for (int k = 0; k < threads; ++k) {
    scratch_.emplace_back(static_cast<std::size_t>(kNarrowSlots * kTileStride * kMaxTileHeight));
  }
}

std::size_t NarrowAttenuatedPass::bytes() const {
  const std::size_t scratch = scratch_.size() * scratch_.front().size();
  return (pixels_.size() + rays_.size() + scratch) * sizeof(float) + plan_.bytes();
}

// Margins of tiles stay zero as long as the layout stays the same.
NarrowLayout NarrowAttenuatedPass::lay_out(std::size_t columns) {
  if (columns != laid_out_) {
    std::memset(pixels_.data(), 0, pixels_.size() * sizeof(float));
    for (Buffer<float>& s : scratch_) std::memset(s.data(), 0, s.size() * sizeof(float));
  }
  laid_out_ = columns;
  return {plan_, columns};
}

std::size_t NarrowAttenuatedPass::hold(std::size_t begin) {
  held_.start();
  std::size_t end = begin;
  for (; end < plan_.families().size(); ++end) {
    const Family& f = plan_.families()[end];
    const auto members = static_cast<std::size_t>(f.members);
    if (!held_.add({plan_.views().data() + f.first_view, members})) break;
  }
  held_.make();
  return end;
}

void NarrowAttenuatedPass::each_task(std::size_t count,
                                     const std::function<void(std::size_t, float*)>& task) {
  std::atomic<std::size_t> next = 0;
  parallel_for(scratch_.size(), threads_, [&](std::size_t thread) {
    for (std::size_t k = next++; k < count; k = next++) task(k, scratch_[thread].data());
  });
}

ScaleTile NarrowAttenuatedPass::scale_tile(const Part& part, const Family& family, const Tile& tile,
                                           int slot) const {
  const TransmittanceLayout& layout = held_.layout();
  const int orientation = slot / part.layout.columns();
  const auto member = static_cast<std::size_t>(orientation - family.first_orientation);
  const std::size_t angle = plan_.views()[family.first_view + member];
  const TransmittanceFrame& f = layout.frame(angle);
  const int x = tile.x0 + f.x_offset;
  const int y = tile.y0 + f.y_offset;
  const int rest = layout.grid() - 1;
  const std::size_t column =
      part.columns.begin + static_cast<std::size_t>(slot % part.layout.columns());
  ScaleTile s{};
  s.transmittance_stride = f.row_elements;
  s.transmittance = held_.view(angle) + column * f.plane_elements +
                    static_cast<std::size_t>(y >> layout.shift()) * f.row_elements +
                    static_cast<std::size_t>(x >> layout.shift());
  s.shift = layout.shift();
  s.x_offset = x & rest;
  s.y_offset = y & rest;
  s.width = std::clamp(f.orientation.width - tile.x0, 0, tile.width);
  s.height = std::clamp(f.orientation.height - tile.y0, 0, tile.height);
  s.row_stride = part.layout.row_stride();
  if (s.width == 0) s.height = 0;
  if (s.height == 0) s.transmittance = held_.view(angle);
  return s;
}

// ---- forward ----------------------------------------------------------------------------------

void NarrowAttenuatedPass::forward(const Block& x, ColumnRange columns, Block& y) {
  const NarrowLayout layout = lay_out(columns.count);
  parallel_for(layout.tiles(), threads_, [&](std::size_t tile) {
    pack_tile(x, columns, plan_, layout, kernel_.narrow, tile, pixels_.data());
  });
  const auto blocks = static_cast<std::size_t>(layout.blocks());
  const std::size_t families = plan_.families().size();
  for (std::size_t begin = 0, end = 0; begin < families; begin = end) {
    end = hold(begin);
    const std::size_t wanted =
        ceil_div(kTasksPerThread * static_cast<std::size_t>(threads_), blocks);
    const std::size_t chunk = ceil_div(end - begin, std::min(end - begin, wanted));
    const std::size_t chunks = ceil_div(end - begin, chunk);
    each_task(blocks * chunks, [&](std::size_t task, float* scratch) {
      const std::size_t first = begin + task % chunks * chunk;
      forward_task({layout, columns, static_cast<int>(task / chunks)},
                   {first, std::min(first + chunk, end)}, scratch);
    });
  }
  parallel_for(families, threads_, [&](std::size_t k) {
    unpack_rays(rays_.data(), plan_, plan_.families()[k], columns, y);
  });
}

void NarrowAttenuatedPass::forward_task(const Part& part, Families families, float* scratch) {
  const NarrowLayout& layout = part.layout;
  const SlotRange all = layout.block(part.block);
  const auto each_family = [&](const auto& visit) {
    for (std::size_t k = families.begin; k < families.end; ++k) {
      const Family& f = plan_.families()[k];
      const SlotRange slots = layout.overlap(f, all);
      if (slots.begin < slots.end)
        visit(f, slots, rays_.data() + layout.ray_offset(f, slots.begin));
    }
  };
  each_family([&](const Family&, SlotRange slots, float* rays) {
    const auto count = static_cast<std::size_t>(slots.end - slots.begin);
    std::memset(rays, 0, count * plan_.ray_stride() * sizeof(float));
  });
  for (std::size_t tile = 0; tile < layout.tiles(); ++tile) {
    each_family([&](const Family& f, SlotRange slots, float* rays) {
      scale(part, f, tile, slots, scratch);
      kernel_.narrow.forward({&plan_, &f, layout.tile(tile), slots.end - slots.begin, scratch,
                              layout.row_stride(), rays + plan_.ray_pad()});
    });
  }
}

void NarrowAttenuatedPass::scale(const Part& part, const Family& family, std::size_t tile,
                                 SlotRange slots, float* scratch) const {
  const Tile t = part.layout.tile(tile);
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    ScaleTile job = scale_tile(part, family, t, slot);
    job.in = pixels_.data() + part.layout.pixel_offset(tile, slot) + plan_.pad();
    job.out = scratch + (slot - slots.begin) * kTileStride + plan_.pad();
    kernel_.transmit.scale(job);
    // The tile is zero outside of the frame.
    for (int r = 0; r < t.height; ++r) {
      float* row = job.out + static_cast<std::size_t>(r) * job.row_stride;
      std::fill(row + (r < job.height ? job.width : 0), row + t.width, 0.0f);
    }
  }
}

// ---- adjoint ----------------------------------------------------------------------------------

void NarrowAttenuatedPass::adjoint(const Block& y, ColumnRange columns, Block& x) {
  const NarrowLayout layout = lay_out(columns.count);
  const std::size_t families = plan_.families().size();
  parallel_for(families, threads_, [&](std::size_t k) {
    pack_rays(y, columns, plan_, plan_.families()[k], rays_.data());
  });
  const auto blocks = static_cast<std::size_t>(layout.blocks());
  for (std::size_t begin = 0, end = 0; begin < families; begin = end) {
    end = hold(begin);
    parallel_for(blocks * layout.tiles(), threads_, [&](std::size_t task) {
      adjoint_task({layout, columns, static_cast<int>(task % blocks)}, {begin, end}, task / blocks);
    });
  }
  const auto rows = static_cast<std::size_t>(plan_.geometry().image_rows);
  parallel_for(ceil_div(rows, kPatchRows), threads_, [&](std::size_t band) {
    gather_band(pixels_.data(), plan_, layout, kernel_.narrow, columns,
                static_cast<int>(band) * kPatchRows, x);
  });
}

void NarrowAttenuatedPass::adjoint_task(const Part& part, Families families, std::size_t tile) {
  const NarrowLayout& layout = part.layout;
  const SlotRange all = layout.block(part.block);
  const Tile t = layout.tile(tile);
  const auto pixels = [&](int slot) {
    return pixels_.data() + layout.pixel_offset(tile, slot) + plan_.pad();
  };
  for (int slot = all.begin; slot < all.end && families.begin == 0; ++slot) {
    float* row = pixels(slot);
    for (int r = 0; r < t.height; ++r, row += layout.row_stride()) {
      std::fill_n(row, t.width, 0.0f);
    }
  }
  // T of the next row. If T is spread, it is read before the kernel runs.
  const TransmittanceLayout& t_layout = held_.layout();
  const auto ahead = static_cast<std::ptrdiff_t>(
      t_layout.shift() == 0 ? t_layout.frames().front().row_elements : 0);
  const std::uint16_t* rows[kNarrowBatch * kNarrowSlots];
  std::uint16_t spread[kNarrowBatch * kNarrowSlots][kSpreadRow];
  for (std::size_t k = families.begin; k < families.end;) {
    const Family& f = plan_.families()[k];
    const int batch =
        std::min(narrow_batch(plan_.families(), k), static_cast<int>(families.end - k));
    const SlotRange slots = layout.overlap(f, all);
    for (int r = 0; r < t.height && slots.begin < slots.end; ++r) {
      const Tile row{t.x0, t.y0 + r, t.width, 1};
      int n = 0;
      for (int b = 0; b < batch; ++b) {
        for (int slot = slots.begin; slot < slots.end; ++slot, ++n) {
          rows[n] = row_of(scale_tile(part, (&f)[b], row, slot), spread[n]);
        }
      }
      kernel_.narrow.adjoint(
          {&plan_, &f, batch, true, row, slots.end - slots.begin,
           rays_.data() + layout.ray_offset(f, slots.begin) + plan_.ray_pad(),
           static_cast<std::size_t>(f.members * layout.columns()) * plan_.ray_stride(),
           pixels(slots.begin) - plan_.pad() + static_cast<std::size_t>(r) * layout.row_stride(),
           layout.row_stride(), rows, ahead});
    }
    k += static_cast<std::size_t>(batch);
  }
}

// T of a row of a tile, pixel by pixel; of any row if it lies outside of the frame.
const std::uint16_t* NarrowAttenuatedPass::row_of(const ScaleTile& tile,
                                                  std::uint16_t* spread) const {
  if (tile.shift == 0 || tile.height == 0) return tile.transmittance;
  kernel_.transmit.spread(tile.transmittance, tile.shift, tile.width + tile.x_offset, spread);
  return spread + tile.x_offset;
}

}  // namespace firm
