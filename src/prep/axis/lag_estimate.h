// Estimates the lag of a detector (steps/lag.h) from projections.
//
// A lag smears all projections towards the same end of the detector. It moves the rotation axis
// that fits best by as much, and what is left of it fits no image. But images of a model with a lag
// converge more slowly, so their misfits cannot be compared with those without. Instead, a short
// lag in the model is compared with one in the opposite direction:
//
//     asymmetry = min ||L_-p A w - b||^2 - min ||L_p A w - b||^2 ,   w >= 0, each with its own axis
//
// Without a lag both fit equally well; with one, L_p fits better. The estimate is the lag whose
// removal makes the asymmetry 0. It is made on coarse beamlets (axis_misfit.h).
//
// An object that is not symmetric has an asymmetry of its own, unless its angles cover 360 degrees.
// So lags of a few beamlets cannot be told from none, and longer ones are found too long: 3, 7 and
// 14 as 5, 12 and 25 on the paper's phantom. The uncertainty covers that.
#pragma once

#include <optional>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

struct LagEstimate {
  double lag = 0;          // beamlets of the sinogram; 0: none is seen
  double uncertainty = 0;  // infinite: the data cannot tell
  // Asymmetry of the data: its mean over blocks of contiguous angles, in its standard deviations;
  // and as a part of the misfit.
  double significance = 0;
  double asymmetry = 0;

  // Whether there is a lag, rather than chance.
  bool significant() const;
};

struct LagOptions {
  bool logarithms = false;          // values are -log of transmissions, which the lag acts on
  std::vector<double> shifts = {};  // of each angle, in beamlets; empty: none
  std::optional<double> axis = {};  // that seems best; default: is searched for
};

// `angles` in radians.
LagEstimate estimate_lag(const Sinogram& s, const std::vector<double>& angles,
                         const LagOptions& options = {});

}  // namespace firm
