#include "run/memory/memory_estimate.h"

#include <algorithm>
#include <numeric>

#include "report/pictures/reconstruction_files.h"
#include "run/report/run_report.h"
#include "solve/methods/alone.h"
#include "solve/registry.h"
#include "tomo/attenuated/attenuated.h"

namespace firm {
namespace {

// The program with its libraries, messages on their way, and arrays rounded up to pages of 2 MiB.
constexpr std::uint64_t kProgram = std::uint64_t{64} << 20;
// T is made for a few angles at a time at the least.
constexpr std::uint64_t kMostBands = 64;
constexpr std::uint64_t kColumns = 16;  // columns that a projector works on at a time
constexpr std::uint64_t kLogs = std::uint64_t{16} << 20;  // ledger, history
constexpr std::uint64_t kReport = std::uint64_t{20} << 20;
constexpr std::uint64_t kCheckpoints = 4;  // three are kept while the next is written
// Words of a sum, their masks and the message, in addition to the share itself.
constexpr std::uint64_t kExchangeCopies = 3;
// Values of a site while it is read: as prepared, their weights, and one copy of some of them.
constexpr std::uint64_t kReadCopies = 3;
// Images of all shards while they are merged: as they came, as they were unpacked, in their places.
constexpr std::uint64_t kMergeCopies = 3;

std::vector<std::size_t> all_if_empty(const std::vector<std::size_t>& sites, const Study& study) {
  if (!sites.empty()) return sites;
  std::vector<std::size_t> all(study.sites.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::uint64_t distinct_matrices(const Study& study, const std::vector<std::size_t>& sites) {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    const auto same = [&](std::size_t other) {
      return same_rays(study.sites[sites[k]].geometry, study.sites[other].geometry);
    };
    if (std::none_of(sites.begin(), sites.begin() + static_cast<std::ptrdiff_t>(k), same)) ++count;
  }
  return count;
}

// The rays of a site with the image of the study.
Geometry rays_of(const Study& study, const Site& site) {
  Geometry g = site.geometry;
  g.image_rows = study.image_rows;
  g.image_columns = study.image_columns;
  g.pixel_size = study.pixel_size > 0 ? study.pixel_size : 1;
  if (!(g.spacing > 0)) g.spacing = g.pixel_size;
  return g;
}

// The scratch of a projector for each matrix. The rays of a site elsewhere may be unknown.
std::vector<std::shared_ptr<const ProjectorScratch>> distinct_scratch(
    const Study& study, const std::vector<std::size_t>& sites) {
  std::vector<Geometry> geometries;
  for (const std::size_t i : sites) {
    if (study.sites[i].geometry.angles.empty()) continue;
    Geometry g = rays_of(study, study.sites[i]);
    const auto same = [&](const Geometry& other) { return same_rays(g, other); };
    if (std::ranges::none_of(geometries, same)) geometries.push_back(std::move(g));
  }
  std::vector<std::shared_ptr<const ProjectorScratch>> scratch;
  for (const Geometry& g : geometries) scratch.push_back(std::make_shared<ProjectorScratch>(g));
  return scratch;
}

HostedSize size_of(const Study& study, const std::vector<std::size_t>& sites) {
  HostedSize size;
  std::vector<std::size_t> members;
  size.slots = study.sites.size() + (study.other ? 1 : 0);
  size.common = study.common_geometry();
  for (const std::size_t i : sites) {
    const Site& site = study.sites[i];
    const bool xrt = site.kind == SiteKind::kXrt;
    size.images += xrt && study.other ? 2 : 1;
    size.rays += site.geometry.rays();
    size.weighted = size.weighted || site.weighted_values;
    size.xrt_rays = std::max<std::uint64_t>(size.xrt_rays, site.geometry.rays());
    if (xrt) continue;
    members.push_back(i);
    size.member_rays += site.geometry.rays();
  }
  const std::uint64_t known = study.xrt().geometry.rays();
  if (known > 0) size.xrt_rays = known;
  size.members = members.size() + (size.images > sites.size() ? 1 : 0);
  size.own_groups = distinct_matrices(study, members);
  size.gathered = size.images > sites.size() || distinct_matrices(study, sites) > 1;
  return size;
}

// Returns the arrays that Problem, Solver and certify() hold with every method.
Footprint base_footprint(const Study& study, const HostedSize& size,
                         const std::vector<std::size_t>& sites, const Hosted& hosted) {
  Footprint f;
  // Images of the solution, their gradient, truth; mu, its share, D w; columns by matrix.
  f.images = (hosted.truth ? 3 : 2) * size.images + 3 + (size.gathered ? size.images : 0);
  // Data and residuals; the share of XRT, and its gradient's.
  f.rays = 2 * size.rays + 2 * size.xrt_rays;
  if (size.weighted) f.rays += 2 * size.rays;      // roots of the weights, and scratch
  if (hosted.keeps_data) f.rays += 2 * size.rays;  // values and weights
  f.projectors = distinct_matrices(study, sites) + 1;
  return f;
}

// Returns room for either of two sets of arrays.
Footprint largest(const Footprint& a, const Footprint& b) {
  return {std::max(a.images, b.images), std::max(a.rays, b.rays),
          std::max(a.projectors, b.projectors)};
}

// Number of these sites, or of all, whose fluorescence is absorbed. Each has two images of the
// attenuation.
std::uint64_t absorbing_sites(const Study& study, const std::vector<std::size_t>& sites) {
  std::uint64_t count = 0;
  for (const std::size_t i : all_if_empty(sites, study)) {
    if (study.sites[i].fluorescence) ++count;
  }
  return count;
}

// T of the hosted sites for one slice, the attenuation that it is made from and a copy of it for
// the solution, curvatures and steps of pixels, and the images and sinograms with which masses and
// kept fractions are measured.
std::uint64_t absorption_bytes(const SolveOptions& options, const Study& study,
                               const std::vector<std::size_t>& sites) {
  if (options.absorption.rounds == 0) return 0;
  std::uint64_t bytes = 0;
  for (const std::size_t i : sites) {
    const Site& site = study.sites[i];
    if (!site.fluorescence) continue;
    bytes += Transmittance::estimate_bytes(site.geometry, 1, options.absorption.grid, 0) +
             sizeof(float) * (10 * study.pixels() + site.geometry.rays());
  }
  return bytes;
}

}  // namespace

std::uint64_t MemoryEstimate::solver_bytes(std::size_t slices) const {
  const std::uint64_t all = slices * absorption;
  const std::uint64_t held = most_absorption > 0 ? std::min(most_absorption, all) : all;
  return slices * per_slice + projector_bytes(slices) + held;
}

namespace {

// Returns the most scratch of a projector with at most this many columns. Fewer columns may need
// more, because other passes take them; the last of equal chunks is often smaller.
std::uint64_t most_scratch(const ProjectorScratch& scratch, std::size_t columns) {
  constexpr std::size_t kNear = 64;  // the choice of passes repeats within so many columns
  std::uint64_t most = 0;
  for (std::size_t k = 0; k < std::min(kNear, columns); ++k) {
    most = std::max<std::uint64_t>({most, scratch.bytes(k + 1), scratch.bytes(columns - k)});
  }
  return most;
}

}  // namespace

std::uint64_t MemoryEstimate::projector_bytes(std::size_t slices) const {
  if (slices == 0) return 0;
  std::uint64_t most = 0;
  std::uint64_t norm = 0;  // of the projector, for one column, while its norm is computed
  for (const auto& geometry : scratch) {
    most = std::max({most, most_scratch(*geometry, slices),
                     most_scratch(*geometry, static_cast<std::size_t>(images) * slices)});
    norm = std::max<std::uint64_t>(norm, geometry->bytes(1));
  }
  return projectors * most + norm;
}

void MemoryEstimate::fit_absorption(std::uint64_t budget) {
  if (absorption == 0 || bytes(1) <= budget) return;
  MemoryEstimate without = *this;
  without.absorption = 0;
  const std::uint64_t rest = budget - std::min(budget, without.bytes(1));
  if (rest >= absorption / kMostBands) most_absorption = rest;
}

std::uint64_t MemoryEstimate::bytes(std::size_t slices) const {
  return std::max({fixed + solver_bytes(slices), ending, aligning});
}

MemoryEstimate estimate_memory(const SolveOptions& options, const Study& study,
                               const Hosted& hosted) {
  const std::vector<std::size_t> sites = all_if_empty(hosted.sites, study);
  const HostedSize size = size_of(study, sites);
  const MethodRow& row = find_method(options.method);
  const MethodFootprint method = row.footprint(options, size);
  Footprint all = base_footprint(study, size, sites, hosted);
  // At the end each site may be compared with itself alone, when the method has been freed.
  all += row.joint ? largest(method.held, alone_footprint(size)) : method.held;
  if (hosted.fixed_point) {
    all.images += kExchangeCopies * method.share.images;
    all.rays += kExchangeCopies * method.share.rays;
  }
  MemoryEstimate estimate;
  estimate.fixed = kProgram + memory_for_pictures(study.pixels());
  estimate.per_slice = sizeof(float) * (all.images * study.pixels() + all.rays);
  estimate.projectors = all.projectors;
  estimate.scratch = distinct_scratch(study, sites);
  estimate.images = size.images;
  estimate.absorption = absorption_bytes(options, study, sites);
  // Images with the true ones; data with residuals.
  estimate.ending = kProgram + memory_for_report(study.slices * 2 * size.images * study.pixels(),
                                                 study.slices * 2 * size.rays);
  if (estimate.absorption > 0) {
    estimate.ending += memory_for_report(study.xrt().geometry, options.absorption.grid);
  }
  estimate.aligning = estimate_alignment_memory(hosted.refine, study, hosted.sites);
  return estimate;
}

std::uint64_t estimate_memory(const SolveOptions& options, const Study& study,
                              const SideBySide& process) {
  std::uint64_t reading = 0;
  std::uint64_t solving = 0;
  for (const SideBySide::Part& part : process.parts) {
    const Hosted hosted{.sites = {part.site}, .fixed_point = true};
    reading = std::max<std::uint64_t>(reading, kReadCopies * study.slices * sizeof(float) *
                                                   study.sites[part.site].geometry.rays());
    solving += estimate_memory(options, study, hosted).solver_bytes(part.slices);
  }
  std::uint64_t merging = 0;
  if (process.first) {
    std::uint64_t images = study.sites.size() + (study.other ? 1 : 0) + 1;  // 1: multiplier
    if (options.absorption.rounds > 0) images += 2 * absorbing_sites(study, {});
    merging = kMergeCopies * images * study.slices * sizeof(float) * study.pixels() +
              memory_for_pictures(study.pixels());
  }
  return kProgram + std::max({reading, solving, merging});
}

std::uint64_t estimate_disk(const SolveOptions& options, const Study& study, std::size_t site) {
  const HostedSize size = size_of(study, {site});
  const Footprint state = find_method(options.method).footprint(options, size).state;
  const std::uint64_t image = sizeof(float) * study.slices * study.pixels();
  // HDF5 and TIFF have all values, PNG a part of them; HDF5 has the multiplier, too.
  std::uint64_t results = (3 * size.images + 1) * image;
  if (options.absorption.rounds > 0) results += 2 * absorbing_sites(study, {site}) * image;
  return kLogs + kReport + results +
         kCheckpoints * (state.images * image + sizeof(float) * study.slices * state.rays);
}

std::uint64_t estimate_calibration_memory(const Study& study) {
  constexpr std::uint64_t kReading = std::uint64_t{32} << 20;  // a piece of a file on its way
  const Geometry& xrt = study.xrt().geometry;
  std::uint64_t kept = 0;  // floats of one slice
  std::uint64_t most = 0;
  std::uint64_t column = 0;
  for (const Site& site : study.sites) {
    const Geometry& g = site.geometry;
    // The data, along its own rays and along the rays of XRT.
    const bool same = same_rays(g, xrt);
    kept += (site.weighted_values ? 2 : 1) * (g.rays() + (same ? xrt.rays() : 0));
    kept += same ? 0 : xrt.rays();
    // While it is prepared: values, masks and counts. Where the rays differ it is reconstructed: an
    // image with the one before, its gradient and a copy; target, products and residual.
    most = std::max<std::uint64_t>({most, 4 * g.rays(), same ? 0 : 4 * g.pixels() + 5 * g.rays()});
    if (!same) column = std::max<std::uint64_t>(column, g.pixels() + g.rays());
  }
  // Means of four beamlets at all sites, as doubles, in an array that grows.
  if (study.other) most = std::max<std::uint64_t>(most, 2 * (study.sites.size() + 1) * xrt.rays());
  return kProgram + kReading +
         sizeof(float) * ((kept + most) * study.slices +
                          column * std::min<std::uint64_t>(kColumns, study.slices));
}

}  // namespace firm
