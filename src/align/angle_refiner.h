// A common factor of the angles of a scan: the true step is angle_scale times that of the study.
//
// The residual of one fit hardly shows it, so factors are tried one by one, each with rounds of the
// other refiners. Misfits are summed over the sites, and a parabola fitted to them: those of single
// factors scatter, because pixels suit some angles better than others. Its vertex is taken only if
// it differs from the present factor by two standard deviations: a round object fits any factor.
#pragma once

#include "align/profile.h"
#include "align/scan_refiner.h"

namespace firm {

class AngleRefiner : public ScanRefiner {
 public:
  bool end_level(AlignState& state, AlignRounds& rounds, Collective& collective) override;
  void conclude(AlignState& state, Collective& collective, Refinement& result) override;

 private:
  struct Grid {
    double step;
    int reach;  // steps to each side
  };
  void attempt(AlignState& state, AlignRounds& rounds, Collective& collective,
               const AlignSnapshot& before, double change);
  bool search(AlignState& state, AlignRounds& rounds, Collective& collective, const Grid& grid);

  std::vector<Profile> profiles_;  // of the scans, in one search
  std::vector<Found> found_;       // of the scans
};

}  // namespace firm
