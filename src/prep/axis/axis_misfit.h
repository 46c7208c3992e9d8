// How badly projections fit together, for a rotation axis that is supposed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "firm/geometry.h"
#include "prep/sinogram.h"

namespace firm {

// What is looked at of a sinogram.
struct AxisView {
  std::vector<std::size_t> slices;
  std::vector<std::size_t> angles;
  std::size_t coarsening = 1;  // beamlets that become one
};

// Part of a sinogram, coarse enough to be reconstructed many times. What is marked is stood for by
// its neighbours: beamlets that are left out at all angles would pull the best axis towards or away
// from them, by a third of a beamlet for two of them. Angles without any value are left out.
class AxisMisfit {
 public:
  // `angles` in radians and `shifts` (may be empty) of the sinogram; `width`: beamlets to each side
  // of the middle between which an axis may lie: the image is as large as that takes.
  AxisMisfit(const Sinogram& s, const std::vector<double>& angles,
             const std::vector<double>& shifts, const AxisView& view, double width);

  std::size_t coarsening() const { return coarsening_; }

  // ||A w - b||^2 / ||b||^2 over the angles that are seen, for an axis in beamlets of the sinogram.
  // w >= 0 is an image after some steps of an accelerated SIRT: far from converged, but those are
  // the same steps for all axes. Without w >= 0, an axis near the end of the detector would fit
  // well, too: what few angles see can be anything.
  double at(double axis) const;

  // Whether there is anything to fit.
  bool any() const { return energy_ > 0; }

 private:
  std::size_t coarsening_;
  Geometry geometry_;
  Block values_;
  Block weights_;
  double energy_ = 0;
};

}  // namespace firm
