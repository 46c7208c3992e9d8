// A simulation as a solver takes it.
#pragma once

#include <vector>

#include "model/study.h"
#include "sim/simulate.h"

namespace firm {

struct SimulatedStudy {
  Study study;
  std::vector<SiteData> data;
  Block truth;  // pixels x (sites x slices), as in a Problem that hosts all
};

// XRT after the logarithm only (options.counts == 0).
SimulatedStudy study_of(const Simulation& simulation);

}  // namespace firm
