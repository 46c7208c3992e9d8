// RefineChoice: the option `refine` of a run, as flags.
#pragma once

#include <string>

namespace firm {

struct RefineChoice {
  bool shifts = false;    // of the stage along the detector, one per angle
  bool vertical = false;  // "shifts-vertical": of the stage across the slices
  bool axis = false;      // rotation axis of each site
  bool angles = false;    // a common factor of the angle step
  bool lag = false;       // of a detector along the scan line
  bool gain = false;      // of the beam, one per angle
  bool scale = false;     // of XRF counts

  bool any() const { return shifts || vertical || axis || angles || lag || gain || scale; }
};

// `names`: "none", or names separated by commas, as SolveOptions::refine has them.
RefineChoice refine_choice(const std::string& names);

}  // namespace firm
