// Misfit of projections as a function of the assumed rotation axis.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "firm/geometry.h"
#include "prep/sinogram.h"

namespace firm {

// The part of a sinogram to use.
struct AxisView {
  std::vector<std::size_t> slices;
  std::vector<std::size_t> angles;
  std::size_t coarsening = 1;  // number of beamlets averaged into one
};

// A part of a sinogram, coarse enough to be reconstructed many times. Marked values are
// interpolated from their neighbours: omitting a beamlet at all angles would shift the best axis,
// by a third of a beamlet for two of them. Angles without usable values are omitted.
class AxisMisfit {
 public:
  // `angles` in radians, and `shifts` (may be empty), of the sinogram. `width`: largest distance of
  // an axis from the middle, in beamlets; it determines the size of the image.
  AxisMisfit(const Sinogram& s, const std::vector<double>& angles,
             const std::vector<double>& shifts, const AxisView& view, double width);

  std::size_t coarsening() const { return coarsening_; }

  // ||A w - b||^2 / ||b||^2 for an axis in beamlets of the sinogram. w >= 0 is an image after some
  // steps of accelerated SIRT: not converged, but with the same steps for all axes. Without w >= 0,
  // an axis near the end of the detector would fit as well, since few angles see most of the image
  // then.
  // `lag`: coarse beamlets by which the detector lags behind (steps/lag.h), negative for a lag in
  // the opposite direction; the image is then that of ||L A w - b||.
  double at(double axis, double lag = 0) const;
  // The same for each chosen angle, in their order; their sum is at().
  std::vector<double> by_angle(double axis, double lag) const;

  // Whether any value differs from 0.
  bool any() const { return energy_ > 0; }

 private:
  std::size_t coarsening_;
  Geometry geometry_;
  Block values_;
  Block weights_;
  double energy_ = 0;
};

}  // namespace firm
