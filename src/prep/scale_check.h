// Whether the numbers of an XRF site can be taken for area densities. Counts never are: a wrong
// factor ties the images of all sites together wrongly.
#pragma once

#include "prep/site_source.h"

namespace firm {

// Throws firm::Error if an XRF site without `scale` is in counts: by the unit of its file, or,
// where the file has no known unit, because the values of the middle slice are whole numbers of at
// least 0. Reads values only where the unit is unknown.
void refuse_counts(const SiteSource& source);

// Throws firm::Error if scale = "auto" has not been replaced by a number.
void require_scale(const SiteSource& source);

}  // namespace firm
