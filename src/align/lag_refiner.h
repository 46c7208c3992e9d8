// Lag of a detector: one pole along the scan line, y_j = a y_{j-1} + (1 - a) x_j, a = exp(-1 /
// lag).
//
// A lag moves the apparent axis of a site by a / (1 - a) beamlets, about the lag itself. All
// detectors of a scan look at the same beam, so their axes must agree: the lag of XRT is the one
// whose removal brings its axis to that of the XRF sites, which count photons and do not lag. Over
// half a turn little else shows it: nearly the same data is that of another, odd image.
//
// In a scan without an XRF site lags are tried one by one. The lag is removed from the data, an
// image fitted, and the lag added to its projections, which are compared with the data as measured.
// A lag is taken only if it fits better by three standard deviations.
//
// Sites send two numbers for each scan, for the mean of the axes.
#pragma once

#include "align/profile.h"
#include "align/scan_refiner.h"

namespace firm {

class LagRefiner : public ScanRefiner {
 public:
  bool end_level(AlignState& state, AlignRounds& rounds, Collective& collective) override;
  void conclude(AlignState& state, Collective& collective, Refinement& result) override;

 private:
  // Makes the axis of a site agree with that of the XRF sites of its scan.
  void match_axis(AlignState& state, std::size_t site, const Found& axis);
  // Finds the lag of a site by its own data.
  void search(AlignState& state, std::size_t site);
  // Misfits of a site with this lag and its axis moved accordingly, in blocks of angles.
  std::vector<double> attempt(AlignState& state, std::size_t site, double lag, double axis);

  std::vector<Found> found_;  // of the hosted sites
};

}  // namespace firm
