// Alignment: finds what the scans of a study got wrong, from the data alone.
//
// Coarse to fine, images of every site are fitted to the data as it is known so far, and refiners
// (scan_refiner.h) change what is known. Every process of a run calls align() with the sites it
// hosts; only sums over the sites are exchanged.
#pragma once

#include <vector>

#include "align/align_state.h"
#include "align/refine_choice.h"
#include "core/progress.h"
#include "firm/refinement.h"
#include "model/collective.h"

namespace firm {

struct AlignInput {
  const Study& study;  // all sites
  std::vector<AlignSite> hosted;
  RefineChoice refine;
  Collective& collective;
  int threads = 0;
  Progress progress = {};
};

// The result has all scans of the study and the hosted sites.
Refinement align(const AlignInput& input);

}  // namespace firm
