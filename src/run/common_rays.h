// Computes the sinogram of a site along the rays of another.
#pragma once

#include "firm/study.h"

namespace firm {

// Values along `rays`: the site's own values if its rays are these. Otherwise the site is
// reconstructed by itself, to a fit of half its noise or for 100 steps, and its image is projected.
// Angles, beamlets, axes and shifts may all differ. Fine detail is lost, more so with few angles;
// sums along a ray hardly change.
struct RayValues {
  Block values;
  Block weights;    // empty for a site with other rays: all count
  bool own = true;  // the rays are the site's own
};
RayValues values_along(const Site& site, const SiteData& data, const Geometry& rays, int threads);

}  // namespace firm
