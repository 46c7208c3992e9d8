// Aligns a simulated scan in one process.
#pragma once

#include <vector>

#include "align/align.h"
#include "align/shaken_scan.h"

namespace firm {

// Hands out a site's data of the study, with a lag removed from its logarithms as
// prep/steps/lag.h does.
std::vector<AlignSite> hosted_sites(const ShakenScan& scan);

// `only`: sites that are hosted; empty: all.
Refinement aligned(const ShakenScan& scan, const RefineChoice& refine,
                   const std::vector<std::size_t>& only = {}, int threads = 1);

}  // namespace firm
