// The centre of mass of an object, as projections see it.
#pragma once

#include <optional>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Where the rotation axis is, in beamlets (edge coordinates), by the centre of mass m_k of what is
// seen at angle theta_k: in parallel beams
//     m_k - shift_k = axis + X cos(theta_k) + Y sin(theta_k)
// whatever the object is, as long as all of it is seen, and nothing else. A least squares fit over
// the angles with the square of the mass as weight; nothing when the angles or the values do not
// determine it. `shifts` may be empty. All of `slices` together.
std::optional<double> axis_by_centre_of_mass(const Sinogram& s, const std::vector<double>& angles,
                                             const std::vector<double>& shifts,
                                             const std::vector<std::size_t>& slices);

}  // namespace firm
