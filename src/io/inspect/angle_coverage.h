// Coverage of half a turn by the angles of a scan.
#pragma once

#include <string>
#include <vector>

namespace firm {

// Warns if angles, in degrees, cannot give an image: one angle, equal angles, a span that looks
// like radians, or a large part of half a turn without angles. Empty: no warning.
std::string warn_angle_coverage(const std::vector<double>& degrees);

}  // namespace firm
