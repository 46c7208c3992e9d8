// Tests whether another rotation axis fits the data of a site far better.
#pragma once

#include <optional>

#include "firm/study.h"
#include "prep/sinogram.h"

namespace firm {

// The prepared values as a sinogram; masked values are marked.
Sinogram sinogram_of(const Site& site, const SiteData& data);

// An axis within a quarter of the detector around its middle, in beamlets, that fits far better
// than the site's: further away than a hundredth of the detector, and with 0.6 of the misfit or
// less. Independent of the size of the image. None: there is no such axis.
std::optional<double> far_better_axis(const Site& site, const SiteData& data);

}  // namespace firm
