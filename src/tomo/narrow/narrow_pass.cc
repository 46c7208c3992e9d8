#include "tomo/narrow/narrow_pass.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/interruption.h"
#include "core/parallel.h"
#include "tomo/narrow/narrow_gather.h"
#include "tomo/narrow/narrow_pack.h"

namespace firm {
namespace {

// Tasks per thread: enough to even out the load, few enough to reuse what is in the cache.
constexpr std::size_t kTasksPerThread = 4;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

void zero_rows(float* row, const Tile& tile, std::size_t row_stride) {
  for (int r = 0; r < tile.height; ++r, row += row_stride) std::fill_n(row, tile.width, 0.0f);
}

// Scratch for calls with up to this many columns.
std::size_t most_pixel_floats(const StripPlan& plan, std::size_t columns) {
  std::size_t floats = 0;
  for (std::size_t n = 1; n <= columns; ++n) {
    floats = std::max(floats, NarrowLayout(plan, n).pixel_floats());
  }
  return floats;
}

std::size_t ray_floats(const StripPlan& plan, std::size_t columns) {
  return plan.views().size() * columns * plan.ray_stride();
}

}  // namespace

int narrow_batch(const std::vector<Family>& families, std::size_t first) {
  const Family& f = families[first];
  int n = 1;
  while (n < kNarrowBatch && first + static_cast<std::size_t>(n) < families.size()) {
    const Family& next = families[first + static_cast<std::size_t>(n)];
    if (next.first_orientation != f.first_orientation || next.members != f.members ||
        next.adjoint.count != f.adjoint.count) {
      break;
    }
    ++n;
  }
  return n;
}

NarrowPass::NarrowPass(StripPlan plan, const StripKernel& kernel, int threads, std::size_t columns)
    : plan_(std::move(plan)),
      kernel_(kernel),
      threads_(threads),
      pixels_(most_pixel_floats(plan_, columns)),
      rays_(ray_floats(plan_, columns)) {}

std::size_t NarrowPass::bytes() const {
  return (pixels_.size() + rays_.size()) * sizeof(float) + plan_.bytes();
}

std::size_t NarrowPass::bytes_for(const StripPlan& plan, std::size_t columns) {
  return (most_pixel_floats(plan, columns) + ray_floats(plan, columns)) * sizeof(float) +
         plan.bytes();
}

// In the frames of a family all orientations have the same size.
bool NarrowPass::meets(const Family& f, const Tile& tile) const {
  const Orientation& o = plan_.orientations()[static_cast<std::size_t>(f.first_orientation)];
  return tile.x0 < o.width && tile.y0 < o.height;
}

// Margins of tiles stay zero as long as the layout stays the same.
NarrowLayout NarrowPass::lay_out(std::size_t columns) {
  if (columns != laid_out_) std::memset(pixels_.data(), 0, pixels_.size() * sizeof(float));
  laid_out_ = columns;
  return {plan_, columns};
}

void NarrowPass::forward(const Block& x, ColumnRange columns, Block& y) {
  const NarrowLayout layout = lay_out(columns.count);
  parallel_for(layout.tiles(), threads_, [&](std::size_t tile) {
    pack_tile(x, columns, plan_, layout, kernel_.narrow, tile, pixels_.data());
  });

  const auto blocks = static_cast<std::size_t>(layout.blocks());
  const std::size_t families = plan_.families().size();
  const std::size_t wanted = ceil_div(kTasksPerThread * static_cast<std::size_t>(threads_), blocks);
  const std::size_t chunk = ceil_div(families, std::min(families, wanted));
  const std::size_t chunks = ceil_div(families, chunk);
  parallel_for(blocks * chunks, threads_, [&](std::size_t task) {
    const std::size_t begin = task % chunks * chunk;
    forward_task(layout, static_cast<int>(task / chunks), begin, std::min(begin + chunk, families));
  });

  parallel_for(families, threads_, [&](std::size_t k) {
    unpack_rays(rays_.data(), plan_, plan_.families()[k], columns, y);
  });
}

void NarrowPass::forward_task(const NarrowLayout& layout, int block, std::size_t family_begin,
                              std::size_t family_end) {
  const SlotRange all = layout.block(block);
  const auto each_family = [&](const auto& visit) {
    for (std::size_t k = family_begin; k < family_end; ++k) {
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
  for (std::size_t tile = 0; tile < layout.tiles() && !interruption_seen(); ++tile) {
    each_family([&](const Family& f, SlotRange slots, float* rays) {
      if (!meets(f, layout.tile(tile))) return;
      kernel_.narrow.forward({&plan_, &f, layout.tile(tile), slots.end - slots.begin,
                              pixels_.data() + layout.pixel_offset(tile, slots.begin),
                              layout.row_stride(), rays + plan_.ray_pad()});
    });
  }
}

void NarrowPass::adjoint(const Block& y, ColumnRange columns, Block& x) {
  const NarrowLayout layout = lay_out(columns.count);
  parallel_for(plan_.families().size(), threads_, [&](std::size_t k) {
    pack_rays(y, columns, plan_, plan_.families()[k], rays_.data());
  });

  const auto blocks = static_cast<std::size_t>(layout.blocks());
  parallel_for(blocks * layout.tiles(), threads_, [&](std::size_t task) {
    adjoint_task(layout, static_cast<int>(task % blocks), task / blocks);
  });

  const auto rows = static_cast<std::size_t>(plan_.geometry().image_rows);
  parallel_for(ceil_div(rows, kPatchRows), threads_, [&](std::size_t band) {
    gather_band(pixels_.data(), plan_, layout, kernel_.narrow, columns,
                static_cast<int>(band) * kPatchRows, x);
  });
}

void NarrowPass::adjoint_task(const NarrowLayout& layout, int block, std::size_t tile) {
  const SlotRange all = layout.block(block);
  const Tile t = layout.tile(tile);
  const auto pixels = [&](int slot) { return pixels_.data() + layout.pixel_offset(tile, slot); };
  // Slots before this one have been written. Families come in the order of their orientations.
  int written = all.begin;
  const auto write_zeros_to = [&](int end) {
    for (; written < end; ++written) {
      zero_rows(pixels(written) + plan_.pad(), t, layout.row_stride());
    }
  };
  const std::vector<Family>& families = plan_.families();
  for (std::size_t k = 0; k < families.size();) {
    const Family& f = families[k];
    const int batch = narrow_batch(families, k);
    const SlotRange slots = layout.overlap(f, all);
    if (slots.begin < slots.end && meets(f, t)) {
      write_zeros_to(slots.begin);
      const bool adds = written > slots.begin;
      if (adds) write_zeros_to(slots.end);
      written = std::max(written, slots.end);
      kernel_.narrow.adjoint(
          {&plan_, &f, batch, adds, t, slots.end - slots.begin,
           rays_.data() + layout.ray_offset(f, slots.begin) + plan_.ray_pad(),
           static_cast<std::size_t>(f.members * layout.columns()) * plan_.ray_stride(),
           pixels(slots.begin), layout.row_stride()});
    }
    k += static_cast<std::size_t>(batch);
  }
  write_zeros_to(all.end);
}

}  // namespace firm
