// The sinogram of a site along the rays of another.
#pragma once

#include "firm/study.h"

namespace firm {

// Values along `rays`: the site's own where its rays are these. Otherwise it is reconstructed by
// itself, to a fit of half its noise or for 100 steps, and its image is projected: whatever
// angles, beamlets, axes and shifts there are. That costs some detail, about as much as the site
// has few angles; what it adds up to along a ray hardly changes.
struct RayValues {
  Block values;
  Block weights;    // of a site with other rays: none, all count
  bool own = true;  // whether the rays are the site's own
};
RayValues values_along(const Site& site, const SiteData& data, const Geometry& rays, int threads);

}  // namespace firm
