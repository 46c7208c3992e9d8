#include "tomo/pair/pair_pass.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/interruption.h"
#include "core/parallel.h"
#include "firm/error.h"
#include "tomo/wide/wide_copy.h"

namespace firm {
namespace {

constexpr std::size_t kColumns = kPairColumns;
constexpr int kRayTile = 128;  // rays whose pixels in a band stay in a second-level cache
constexpr int kTaskRows = 16;  // image rows of a task

// The paired and the wide kernels must add up in the same order.
static_assert(kPairRows == kWideRows);

// Uses fewer rows at once than the wide kernels, so rows can be closer.
bool pair_crowds(std::size_t row_floats) { return crowds(row_floats, 16); }

int ceil_div(int a, int b) { return (a + b - 1) / b; }

// How families and rays are divided into tasks. A task has several families, which find each
// other's pixels in the cache; rays are divided, too, to get enough tasks.
struct Shares {
  int families;  // of a task
  int family_parts;
  int ray_parts;
};

Shares share_work(int families, int rays, int threads) {
  constexpr int kTasksPerThread = 8;
  const int chunk = std::clamp(families / (4 * threads), 4, 16);
  const int family_parts = ceil_div(families, chunk);
  const int ray_parts = ceil_div(kTasksPerThread * threads, family_parts);
  return {chunk, family_parts, std::clamp(ray_parts, 1, std::max(1, rays / 16))};
}

std::size_t image_floats(const Geometry& g) {
  return static_cast<std::size_t>(g.image_rows) *
         spread(static_cast<std::size_t>(g.image_columns) * kColumns);
}

// Floats of a copy of the image; 0: none is needed.
std::size_t pixel_floats(const Geometry& g) {
  return pair_crowds(static_cast<std::size_t>(g.image_columns) * kColumns) ? image_floats(g) : 0;
}

// Floats of a copy of the rays; 0: none is needed.
std::size_t ray_floats(const Geometry& g) {
  const auto view = static_cast<std::size_t>(g.beamlets) * kColumns;
  return pair_crowds(view) ? g.angles.size() * spread(view) : 0;
}

}  // namespace

bool PairPass::fits(const Geometry& geometry) {
  return image_floats(geometry) * sizeof(float) <= std::numeric_limits<std::int32_t>::max();
}

PairPass::PairPass(const WidePlan& plan, const StripKernel& kernel, int threads)
    : plan_(plan), kernel_(kernel), threads_(threads) {
  if (const std::size_t n = pixel_floats(plan.geometry())) pixels_ = Buffer<float>(n);
  if (const std::size_t n = ray_floats(plan.geometry())) rays_ = Buffer<float>(n);
}

std::size_t PairPass::bytes() const { return (pixels_.size() + rays_.size()) * sizeof(float); }

std::size_t PairPass::bytes_for(const Geometry& geometry) {
  return (pixel_floats(geometry) + ray_floats(geometry)) * sizeof(float);
}

PairImage PairPass::source(const Block& block, std::size_t row_length, Buffer<float>& copy) const {
  const std::size_t row = row_length * kColumns;
  if (copy.size() == 0) return {block.data(), row};
  copy_columns(block, {0, kColumns}, row_length, threads_, copy);
  return {copy.data(), spread(row)};
}

// ---- forward ----------------------------------------------------------------------------------

void PairPass::forward(const Block& x, ColumnRange columns, Block& y) {
  FIRM_CHECK(x.columns() == kColumns && columns.count == kColumns);
  const Geometry& g = plan_.geometry();
  const PairImage from = source(x, static_cast<std::size_t>(g.image_columns), pixels_);
  const int families = static_cast<int>(plan_.strips().families().size());
  const bool centred = plan_.centred();
  const int rays = centred ? g.beamlets / 2 : g.beamlets;
  const Shares shares = share_work(families, rays, threads_);
  const int tasks = shares.family_parts * shares.ray_parts;
  parallel_for(static_cast<std::size_t>(tasks), threads_, [&](std::size_t task) {
    const int family = static_cast<int>(task) % shares.family_parts * shares.families;
    const int k = static_cast<int>(task) / shares.family_parts;
    const int part = centred ? shares.ray_parts - 1 - k : k;  // rays in the middle are longer
    const Range range{rays * part / shares.ray_parts, rays * (part + 1) / shares.ray_parts};
    const int family_end = std::min(family + shares.families, families);
    forward_task(from, y, {family, family_end, range, centred});
    // A ray through the axis is its own opposite.
    if (centred && range.end == rays && g.beamlets % 2 == 1) {
      forward_task(from, y, {family, family_end, {rays, rays + 1}, false});
    }
  });
}

void PairPass::forward_task(const PairImage& x, Block& y, const Part& part) const {
  const StripPlan& strips = plan_.strips();
  const auto beamlets = static_cast<std::size_t>(plan_.geometry().beamlets);
  const auto begin = static_cast<std::size_t>(part.rays.begin);
  const auto end = static_cast<std::size_t>(part.rays.end);
  int height = 0;
  for (int k = part.family_begin; k < part.family_end; ++k) {
    const Family& f = strips.families()[static_cast<std::size_t>(k)];
    height = std::max(height,
                      strips.orientations()[static_cast<std::size_t>(f.first_orientation)].height);
    for (int m = 0; m < f.members; ++m) {
      const std::size_t first =
          strips.views()[f.first_view + static_cast<std::size_t>(m)] * beamlets;
      zero_rows(y, {0, kColumns}, first + begin, first + end);
      if (part.centred)
        zero_rows(y, {0, kColumns}, first + beamlets - end, first + beamlets - begin);
    }
  }
  PairForwardJob job{};
  job.plan = &plan_;
  job.centred = part.centred;
  job.x = x;
  job.y = y.data();
  job.y_stride = y.columns();
  for (int y0 = 0; y0 < height; y0 += kPairRows) {
    for (int ray = part.rays.begin; ray < part.rays.end; ray += kRayTile) {
      if (interruption_seen()) return;
      job.rows = {y0, y0 + kPairRows};
      job.rays = {ray, std::min(ray + kRayTile, part.rays.end)};
      forward_tile(job, part);
    }
  }
}

void PairPass::forward_tile(PairForwardJob job, const Part& part) const {
  const StripPlan& strips = plan_.strips();
  const Range rows = job.rows;
  for (int k = part.family_begin; k < part.family_end; ++k) {
    const Family& f = strips.families()[static_cast<std::size_t>(k)];
    for (int m = 0; m < f.members; m += 2) {
      const int height =
          strips.orientations()[static_cast<std::size_t>(f.first_orientation + m)].height;
      job.family = &f;
      job.first_member = m;
      job.members = std::min(2, f.members - m);
      job.rows = {rows.begin, std::min(rows.end, height)};
      if (job.rows.begin < job.rows.end) kernel_.pair.forward(job);
    }
  }
}

// ---- adjoint ----------------------------------------------------------------------------------

void PairPass::adjoint(const Block& y, ColumnRange columns, Block& x) {
  FIRM_CHECK(y.columns() == kColumns && columns.count == kColumns);
  const Geometry& g = plan_.geometry();
  const PairImage from = source(y, static_cast<std::size_t>(g.beamlets), rays_);
  const bool centred = plan_.centred();
  const int rows = centred ? g.image_rows / 2 : g.image_rows;
  const int tasks = ceil_div(rows, kTaskRows);
  parallel_for(static_cast<std::size_t>(tasks), threads_, [&](std::size_t task) {
    const int begin = static_cast<int>(task) * kTaskRows;
    adjoint_task(from, x.data(), {begin, std::min(begin + kTaskRows, rows)}, centred);
  });
  // A row in the middle is its own opposite.
  if (centred && g.image_rows % 2 == 1) adjoint_task(from, x.data(), {rows, rows + 1}, false);
}

void PairPass::adjoint_task(const PairImage& y, float* x, Range rows, bool centred) const {
  const Geometry& g = plan_.geometry();
  const auto stride = static_cast<std::size_t>(g.image_columns) * kColumns;
  const auto zero = [&](int begin, int end) {
    std::fill(x + static_cast<std::size_t>(begin) * stride,
              x + static_cast<std::size_t>(end) * stride, 0.0f);
  };
  zero(rows.begin, rows.end);
  if (centred) zero(g.image_rows - rows.end, g.image_rows - rows.begin);
  const std::vector<AdjointPair>& pairs = plan_.pairs();
  for (int x0 = 0; x0 < g.image_columns && !interruption_seen(); x0 += kWideChunk) {
    const Tile tile{x0, rows.begin, std::min(kWideChunk, g.image_columns - x0),
                    rows.end - rows.begin};
    for (std::size_t k = 0; k < pairs.size();) {
      const int batch = plan_.batch(k, kWideBatch);
      kernel_.pair.adjoint(
          {&plan_, &pairs[k], batch, tile, centred, y.data, y.row_stride, x, stride});
      k += static_cast<std::size_t>(batch);
    }
  }
}

}  // namespace firm
