// Gain of the beam at each angle, for each site by itself.
//
// The mass of an element is the same at all angles, and air transmits everything. With b the data
// at the present gains and p = A w:
//
//     XRF   g_k <- g_k <b, p> / <p, p>        divided by the mean over the angles
//     XRT   g_k <- g_k exp(-mean(b - p))
//
// At the end the gains of all sites of a scan are averaged, two numbers for each angle and site:
// there is one beam. A site takes the average if that explains its own gains better than no drift
// does.
#pragma once

#include "align/scan_refiner.h"

namespace firm {

class GainRefiner : public ScanRefiner {
 public:
  std::vector<double> share(AlignState& state) override;
  bool update(AlignState& state, std::span<const double> sums) override;
  void conclude(AlignState& state, Collective& collective, Refinement& result) override;
};

}  // namespace firm
