// Alignment of scans with self-absorption.
//
// Absorption makes fluorescence brighter on the side of the detector, which looks like another
// rotation axis, and at some angles, which looks like a drift of the beam. So scans are aligned by
// XRT, which does not suffer from it, and XRF sites follow XRT of their scan.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "align/refine_choice.h"
#include "firm/refinement.h"
#include "io/study/study_file.h"
#include "model/collective.h"

namespace firm {

// Throws firm::Error (kUsage) if absorbed data would have to show what is to be refined.
void check_absorbed_refinement(const StudyFile& file, const RefineChoice& choice);

// Sites of one process, in the order of the study, and the scan of each as an index.
struct FollowingSite {
  std::string name;
  std::size_t scan = 0;
  bool absorbed = false;
};

// Adds absorbed sites to the result of those that were aligned, in the order of `sites`. With
// `axis` they get the axis of the aligned sites of their scan: all detectors of a scan look at the
// same beam. Every process of a run calls it.
void let_absorbed_sites_follow(const std::vector<FollowingSite>& sites, bool axis,
                               Collective& collective, Refinement& result);

}  // namespace firm
