// Finding the rotation axis in the projections themselves.
//
// The axis is the one for which an image with w >= 0 fits the projections best (axis_misfit.h):
// first all of the range on coarse beamlets, then finer ones near the best, where a parabola is
// laid through the misfits. Angles may be in any order and over any span; no pair of opposite ones
// is needed. Values that are marked are stood for by their neighbours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Where to look: beamlets, edge coordinates.
struct AxisRange {
  double middle = 0;
  double width = 0;  // to each side
};

struct RotationAxis {
  bool found = false;  // else `axis` is the middle of the range: there is nothing to see
  double axis = 0;     // beamlets of the sinogram, edge coordinates
  // Half the difference of what every second of the angles and the others give by themselves, but
  // no less than what a parabola through so many points can tell.
  double uncertainty = 0;
  // How much better it fits than axes elsewhere in the range do: 1 - smallest misfit / median.
  double contrast = 0;
  double gap = 0;        // degrees that the angles leave out; without them less is known
  bool at_edge = false;  // the best lies at an end of the range
  std::optional<double> centre_of_mass;  // another way (centre_of_mass.h), to compare with
};

// `angles` in radians; `shifts` of each angle in beamlets, or empty.
RotationAxis find_rotation_axis(const Sinogram& s, const std::vector<double>& angles,
                                const std::vector<double>& shifts, const AxisRange& range);

// What there is to worry about, for people; empty when there is nothing. `scale`: what a beamlet of
// `axis` is in the beamlets that are told of.
std::vector<std::string> axis_warnings(const RotationAxis& axis, const AxisRange& range,
                                       double scale);

}  // namespace firm
