// Estimates the lag of a detector (steps/lag.h) from projections.
//
// A lag smears all projections towards the same end of the detector. It moves the rotation axis
// that fits best by as much, and the rest of it fits no image: opposite directions would have to be
// smeared towards opposite ends. So the estimate is the lag L for which an image w >= 0 fits best,
// min ||L A w - b||, each with its own axis (axis_misfit.h). It is made on coarse beamlets.
#pragma once

#include <optional>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

struct LagEstimate {
  double lag = 0;          // beamlets of the sinogram; 0: no lag fits better
  double uncertainty = 0;  // infinite: the data cannot tell
  // How much better the lag fits: the mean over blocks of contiguous angles, in its standard
  // deviations.
  double significance = 0;
  double gain = 0;  // part of the misfit that goes away
  double axis = 0;  // that fits best with this lag

  // Whether there is a lag, rather than chance.
  bool significant() const;
};

// `angles` in radians; `shifts` of each angle in beamlets, or empty. `axis`: where the rotation
// axis seems to be without a lag; default: the best within a quarter of the detector around its
// middle.
LagEstimate estimate_lag(const Sinogram& s, const std::vector<double>& angles,
                         const std::vector<double>& shifts = {}, std::optional<double> axis = {});

}  // namespace firm
