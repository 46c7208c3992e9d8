// Refines twins of real scans (firm simulate --preset rod) and compares with what is true.
#pragma once

#include "firm/refinement.h"
#include "sim/simulate.h"

namespace firm {

struct RefinedTwin {
  Simulation simulation;
  Refinement found;

  const RefinedScan& scan() const { return found.scans.front(); }
  // Root mean square of found - true shifts, without what a move of object or axis explains.
  double shift_error() const;
  double axis_error(std::size_t site) const;
  // Found over true scale; 0: not found.
  double scale_ratio(std::size_t site) const;
};

// Simulates into a temporary directory, and refines what `names` says. `unmix`: share of Au that is
// subtracted from W.
RefinedTwin refine_twin(const SimulateOptions& options, const std::string& names, double unmix = 0);

// The twin of the tests: counts, 36 angles.
SimulateOptions twin_options(int size, std::uint64_t seed = 1);

}  // namespace firm
