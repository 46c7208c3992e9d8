// Implements find_axis() and attenuation_coefficient() of include/firm/tools.h.
#include <numbers>

#include "firm/error.h"
#include "firm/tools.h"
#include "io/formats/array_scan.h"
#include "physics/attenuation.h"
#include "prep/axis/rotation_axis.h"

namespace firm {

FoundAxis find_axis(const AxisRequest& request) {
  const Scan scan = array_scan("find_axis", request.arrays);
  Sinogram sinogram(scan.data->beamlets(), read_block(*scan.data));
  mark_not_finite(sinogram);
  std::vector<double> angles;
  for (const double degrees : scan.theta) angles.push_back(degrees * std::numbers::pi / 180);
  const auto beamlets = static_cast<double>(scan.data->beamlets());
  const AxisRange range{request.middle.value_or(beamlets / 2),
                        request.width.value_or(beamlets / 4)};
  if (!(range.width > 0 && range.width <= beamlets)) {
    throw usage_error({"find_axis", "width", "more than 0 beamlets, and at most all of them",
                       std::to_string(range.width)});
  }
  const RotationAxis axis = find_rotation_axis(sinogram, angles, {}, range, request.logarithms);
  return {axis.found, axis.axis, axis.uncertainty, axis.contrast, axis_warnings(axis, range, 1)};
}

std::optional<double> attenuation_coefficient(const std::string& formula, double kev) {
  return mass_attenuation(formula, kev);
}

}  // namespace firm
