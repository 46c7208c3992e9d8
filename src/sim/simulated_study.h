// A simulation as the input of a solver.
#pragma once

#include <vector>

#include "firm/study.h"
#include "sim/simulate.h"

namespace firm {

struct SimulatedStudy {
  Study study;
  std::vector<SiteData> data;
  Block truth;  // pixels x (sites * slices), as in a Problem with all sites
};

// Requires data without counts: options.counts == 0 and options.xrf_counts == 0. The study of a
// twin has the geometry of the files, not the true one.
SimulatedStudy study_of(const Simulation& simulation);

}  // namespace firm
