#include "run/memory/calibration_needs.h"

#include <algorithm>

namespace firm {
namespace {

// The program with its libraries, and a piece of a file on its way.
constexpr std::uint64_t kProgram = std::uint64_t{96} << 20;
constexpr std::uint64_t kColumns = 16;  // that a projector works on at a time

// Values, masks and what is counted beside them, while one site is prepared.
std::uint64_t preparing(const Site& site) { return 4 * site.geometry.rays(); }

// Of a site whose rays are not those of XRT: an image with that before it, its gradient, and the
// one that is kept; target, products and residual of its sinogram.
std::uint64_t imaging(const Site& site) {
  return 4 * site.geometry.pixels() + 5 * site.geometry.rays();
}

}  // namespace

std::uint64_t calibration_needs(const Study& study) {
  const Geometry& xrt = study.xrt().geometry;
  std::uint64_t kept = 0;  // floats of one slice
  std::uint64_t most = 0;
  std::uint64_t column = 0;
  for (const Site& site : study.sites) {
    // The data, and the same along the rays of XRT.
    const bool own = same_rays(site.geometry, xrt);
    kept += (site.weighted_values ? 2 : 1) * (site.geometry.rays() + (own ? xrt.rays() : 0));
    kept += own ? 0 : xrt.rays();
    most = std::max({most, preparing(site), own ? 0 : imaging(site)});
    if (!own)
      column = std::max<std::uint64_t>(column, site.geometry.pixels() + site.geometry.rays());
  }
  // Means of four beamlets at all sites, as doubles, in an array that grows.
  if (study.other) most = std::max<std::uint64_t>(most, 2 * (study.sites.size() + 1) * xrt.rays());
  return kProgram + sizeof(float) * ((kept + most) * study.slices +
                                     column * std::min<std::uint64_t>(kColumns, study.slices));
}

}  // namespace firm
