// Rotation axis of each site.
//
// A wrong axis moves a projection by the same amount at all angles; a move of the object by a cos
// and a sin of the angle. So the axis of a site moves by the constant c of the weighted fit
//
//     N_k / D_k ~ c + a cos(theta_k) + b sin(theta_k)          weights D_k
//
// and N_k becomes N_k - c D_k for the refiners after it. Nothing leaves the site but whether its
// axis has settled.
#pragma once

#include "align/scan_refiner.h"

namespace firm {

class AxisRefiner : public ScanRefiner {
 public:
  void begin_level(AlignState& state) override;
  std::vector<double> share(AlignState& state) override;
  bool update(AlignState& state, std::span<const double> sums) override;
  void conclude(AlignState& state, Collective& collective, Refinement& result) override;

  bool end_level(AlignState& state, AlignRounds& rounds, Collective& collective) override;

 private:
  std::vector<double> last_;  // change of each hosted site in the round before, in bins
};

// The constant c, in bins, at most 1.
double axis_move(const std::vector<double>& angles, const Slopes& slopes);

}  // namespace firm
