// Memory of the alignment: the arrays of src/align and of StudyRefiner.
#include <algorithm>
#include <cmath>

#include "run/memory/memory_estimate.h"
#include "run/refine_study.h"
#include "tomo/strip/strip_projector.h"

namespace firm {
namespace {

constexpr std::uint64_t kProgram = std::uint64_t{64} << 20;
// Values of a site while they are prepared: as read, counts, masks, as prepared.
constexpr std::uint64_t kPrepareCopies = 4;
// Fits while one replaces the other.
constexpr std::uint64_t kFits = 2;
// Each with three images; two snapshots of images.
constexpr std::uint64_t kImages = kFits * 3 + 2;
constexpr std::uint64_t kNormImages = 3;
constexpr int kMostPixels = 1 << 20;  // of a side
// Two fits with data, weights and prediction; the projections that scales are found from.
constexpr std::uint64_t kFitRays = 2 * 3 + 2;
// Sums up to each edge, of values and weights, in double precision: as measured, with the lag
// removed, and those that replace them; and the values that they are made from.
constexpr std::uint64_t kOwnRays = 3 * 4 + 2;
constexpr std::uint64_t kXrtRays = 7;  // sums over the sites to find scales

// The finest level, where a pixel is as wide as a beamlet (AlignState::geometry_of).
struct Finest {
  std::uint64_t pixels = 0;
  std::uint64_t rays = 0;
  std::uint64_t scratch = 0;  // bytes of a projector
};

Finest finest_level(const Study& study, const Geometry& g, std::uint64_t slices) {
  const double side = std::max(study.image_rows, study.image_columns) * study.pixel_size;
  const double pixels = 2 * std::ceil(side / g.spacing / 2);
  Geometry finest = g;
  finest.image_rows = finest.image_columns =
      static_cast<int>(std::clamp(pixels, 2.0, double{kMostPixels}));
  finest.pixel_size = g.spacing;
  finest.beamlets = g.beamlets + 2;
  finest.shifts.clear();
  finest.rotation_axis = finest.beamlets / 2.0;
  const ProjectorScratch scratch(finest);
  return {finest.pixels(), finest.rays(), scratch.bytes(slices)};
}

}  // namespace

std::uint64_t estimate_alignment_memory(const RefineChoice& refine, const Study& study,
                                        const std::vector<std::size_t>& sites) {
  if (!refine.any()) return 0;
  const std::uint64_t slices = slices_to_align(study.slices);
  std::uint64_t values = 0;
  std::uint64_t vertical = 0;
  std::uint64_t scratch = 0;
  Finest most;
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const Geometry& g = study.sites[i].geometry;
    // The rays of a site elsewhere may be unknown.
    if (g.angles.empty()) continue;
    const Finest finest = finest_level(study, g, slices);
    most = {std::max(most.pixels, finest.pixels), std::max(most.rays, finest.rays),
            std::max(most.scratch, finest.scratch)};
    if (!sites.empty() && std::ranges::find(sites, i) == sites.end()) continue;
    values += slices * (kImages * finest.pixels + kFitRays * finest.rays + kOwnRays * g.rays());
    scratch += kFits * finest.scratch;
    const std::uint64_t at_once = std::min<std::uint64_t>(study.slices, kSlicesOfMasses);
    vertical = std::max<std::uint64_t>(vertical, at_once * kPrepareCopies * g.rays());
  }
  values += slices * kXrtRays * most.rays + kPrepareCopies * most.rays;
  // A projector and its norm, made beside the fits.
  values += kNormImages * most.pixels + most.rays;
  return kProgram + std::max(sizeof(float) * values + scratch + most.scratch,
                             refine.vertical ? sizeof(float) * vertical : 0);
}

}  // namespace firm
