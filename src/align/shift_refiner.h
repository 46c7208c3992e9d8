// Shifts of the stage, one per angle, common to the sites of a scan.
//
//     s_k <- s_k + L clip(sum_i N_ik / max(sum_i D_ik, 0.02 mean), +-1), without its cos and sin
//
// A site sends two numbers for each angle: N and D (align_state.h). The cos and sin part is the
// position of the object, which no data tells apart from a move of the stage; the mean is left to
// the axis if that is refined, too.
#pragma once

#include "align/scan_refiner.h"

namespace firm {

class ShiftRefiner : public ScanRefiner {
 public:
  // `keeps_mean`: the axis is not refined, so the shifts have a mean.
  explicit ShiftRefiner(bool keeps_mean) : keeps_mean_(keeps_mean) {}

  std::vector<double> share(AlignState& state) override;
  bool update(AlignState& state, std::span<const double> sums) override;
  void conclude(AlignState& state, Collective& collective, Refinement& result) override;

 private:
  double move(ScanState& scan, std::span<const double> n, std::span<const double> d, int level);

  bool keeps_mean_;
  double last_ = 0;  // largest change of the last round, in bins
  bool at_bound_ = false;
};

}  // namespace firm
