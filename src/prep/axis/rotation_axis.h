// Estimates the rotation axis from the projections.
//
// An image with w >= 0 fits the projections best if it is reconstructed with the right axis
// (axis_misfit.h). The search covers the whole range with coarse beamlets, then fits a parabola to
// the misfits of finer beamlets around the best. Angles may have any order and span; opposite
// angles are not needed. Marked values are interpolated from their neighbours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prep/axis/lag_estimate.h"
#include "prep/sinogram.h"

namespace firm {

// Range of the search in beamlets, edge coordinates.
struct AxisRange {
  double middle = 0;
  double width = 0;  // to each side
};

struct RotationAxis {
  bool found = false;  // false: all values are 0, and `axis` is the middle of the range
  double axis = 0;     // beamlets of the sinogram, edge coordinates
  // By a jackknife over blocks of contiguous angles, at least the resolution of the parabola. With
  // a lag, at least that: it moves the axis by as much, and hardly changes the misfit.
  double uncertainty = 0;
  // Quality of the minimum: 1 - smallest misfit / median misfit in the range.
  double contrast = 0;
  double gap = 0;                        // largest gap of the angles, in degrees
  bool at_edge = false;                  // the best axis is at an end of the range
  std::optional<double> centre_of_mass;  // for comparison (centre_of_mass.h)
  LagEstimate lag;
};

// `angles` in radians; `shifts` of each angle in beamlets, or empty. `logarithms`: values are -log
// of transmissions (lag_estimate.h).
RotationAxis find_rotation_axis(const Sinogram& s, const std::vector<double>& angles,
                                const std::vector<double>& shifts, const AxisRange& range,
                                bool logarithms = false);

// Warnings about the result. `scale`: beamlets of the file per beamlet of `axis`; texts use the
// former.
std::vector<std::string> axis_warnings(const RotationAxis& axis, const AxisRange& range,
                                       double scale);

}  // namespace firm
