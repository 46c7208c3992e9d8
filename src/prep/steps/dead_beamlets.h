// Dead beamlets: those that do not respond to the beam.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/sinogram.h"
#include "prep/steps/binning.h"

namespace firm {

struct DeadBeamlet {
  std::size_t beamlet = 0;
  std::size_t slice = 0;
};

// Beamlets that are `stuck` (binning.h), if there are more than two angles. One that is always 0 is
// dead only if `zero_is_dead`: an XRF map is 0 beside the object. Skips beamlets that are marked at
// all angles.
std::vector<DeadBeamlet> dead_beamlets(const Sinogram& s, const std::vector<Stuck>& stuck,
                                       bool zero_is_dead);

void mark_dead(const std::vector<DeadBeamlet>& dead, Sinogram& s);

}  // namespace firm
