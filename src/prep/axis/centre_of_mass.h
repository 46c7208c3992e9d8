// The rotation axis from the centre of mass of projections.
#pragma once

#include <optional>
#include <vector>

#include "prep/sinogram.h"

namespace firm {

// Position of the rotation axis in beamlets (edge coordinates). In a parallel beam the centre of
// mass m_k of the projection at angle theta_k is
//     m_k - shift_k = axis + X cos(theta_k) + Y sin(theta_k)
// for any object that is seen completely. Least squares fit over the angles, weighted by the square
// of the mass, of all `slices` together; none when the data does not determine it. `shifts` may be
// empty.
std::optional<double> axis_by_centre_of_mass(const Sinogram& s, const std::vector<double>& angles,
                                             const std::vector<double>& shifts,
                                             const std::vector<std::size_t>& slices);

}  // namespace firm
