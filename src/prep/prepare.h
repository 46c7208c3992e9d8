// Prepares the data of a site for a solver: values b, weights, and the geometry of the rays.
//
// The steps, in this order (docs/data.md), are in prep/steps and prep/axis:
//   binning, saturation, zingers, normalization, unmix, gain, lag, clipping, logarithm, rings,
//   vertical shifts, rotation axis, scale.
// Unusable values are masked: they have the value 0 and the weight 0.
#pragma once

#include <string>
#include <vector>

#include "core/slice_range.h"
#include "firm/study.h"
#include "prep/report.h"
#include "prep/site_source.h"

namespace firm {

struct PreparedSite {
  Site site;      // with estimated axis and noise
  SiteData data;  // b, and weights: 0 for masked values; no rows when all are 1
  PreparationReport report;
};

// Prepares some slices of a site. Throws firm::Error that names the file, the dataset, what was
// expected and what was found; slices, angles and beamlets count from 0 there, after binning. A
// slice has the same values whichever others are prepared with it; a rotation axis or a sigma that
// the study leaves open is estimated from these slices alone (StudyData estimates it from the same
// ones always).
PreparedSite prepare_site(const SiteSource& source, const SliceRange& slices);

}  // namespace firm
