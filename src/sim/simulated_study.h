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

// Requires options.counts == 0 (XRT data is logarithms).
SimulatedStudy study_of(const Simulation& simulation);

}  // namespace firm
