// Beamlets that do not answer.
#pragma once

#include <cstddef>
#include <vector>

#include "prep/steps/binning.h"
#include "prep/sinogram.h"

namespace firm {

struct DeadBeamlet {
  std::size_t beamlet = 0;
  std::size_t slice = 0;
};

// Those that are `stuck` (binning.h), if there are more than two angles. One that is always 0 is
// dead only where `zero_is_dead`: an XRF map is 0 beside the object. Those that are marked at all
// angles are not told again.
std::vector<DeadBeamlet> dead_beamlets(const Sinogram& s, const std::vector<Stuck>& stuck,
                                       bool zero_is_dead);

void mark_dead(const std::vector<DeadBeamlet>& dead, Sinogram& s);

}  // namespace firm
