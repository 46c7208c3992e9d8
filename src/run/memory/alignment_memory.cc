// Memory of the alignment: the arrays of src/align and of StudyRefiner.
#include <algorithm>
#include <cmath>

#include "run/memory/memory_estimate.h"
#include "run/refine_study.h"

namespace firm {
namespace {

constexpr std::uint64_t kProgram = std::uint64_t{64} << 20;
// Values of a site while they are prepared: as read, counts, masks, as prepared.
constexpr std::uint64_t kPrepareCopies = 4;
// Two fits while one replaces the other, each with three images; two snapshots of images.
constexpr std::uint64_t kImages = 2 * 3 + 2;
// Two fits with data, weights and prediction; the projections that scales are found from.
constexpr std::uint64_t kFitRays = 2 * 3 + 2;
// Sums up to each edge, of values and weights, in double precision: as measured, with the lag
// removed, and those that replace them; and the values that they are made from.
constexpr std::uint64_t kOwnRays = 3 * 4 + 2;
constexpr std::uint64_t kXrtRays = 7;   // sums over the sites to find scales
constexpr std::uint64_t kColumns = 16;  // columns that a projector works on at a time

// Pixels and rays of the finest level, where a pixel is as wide as a beamlet.
struct Finest {
  std::uint64_t pixels = 0;
  std::uint64_t rays = 0;
};

Finest finest_level(const Study& study, const Geometry& g) {
  const double side = std::max(study.image_rows, study.image_columns) * study.pixel_size;
  const auto pixels = static_cast<std::uint64_t>(std::ceil(side / g.spacing)) + 1;
  return {pixels * pixels, g.angles.size() * (static_cast<std::uint64_t>(g.beamlets) + 2)};
}

}  // namespace

std::uint64_t estimate_alignment_memory(const RefineChoice& refine, const Study& study,
                                        const std::vector<std::size_t>& sites) {
  if (!refine.any()) return 0;
  const std::uint64_t slices = slices_to_align(study.slices);
  std::uint64_t values = 0;
  std::uint64_t vertical = 0;
  Finest most;
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const Geometry& g = study.sites[i].geometry;
    // The rays of a site elsewhere may be unknown.
    if (g.angles.empty()) continue;
    const Finest finest = finest_level(study, g);
    most = {std::max(most.pixels, finest.pixels), std::max(most.rays, finest.rays)};
    if (!sites.empty() && std::ranges::find(sites, i) == sites.end()) continue;
    values += slices * (kImages * finest.pixels + kFitRays * finest.rays + kOwnRays * g.rays());
    const std::uint64_t at_once = std::min<std::uint64_t>(study.slices, kSlicesOfMasses);
    vertical = std::max<std::uint64_t>(vertical, at_once * kPrepareCopies * g.rays());
  }
  values += slices * kXrtRays * most.rays + kPrepareCopies * most.rays;
  values += 2 * kColumns * (most.pixels + most.rays);
  return kProgram + sizeof(float) * std::max(values, refine.vertical ? vertical : 0);
}

}  // namespace firm
