// Angles in a file of their own, for formats that have none.
#pragma once

#include <string>
#include <vector>

namespace firm {

// Reads angles in degrees from a text with one number per line, or a .npy with one dimension. A #
// in a text starts a comment; the comment "# units: rad" before the first number means radians.
// Throws firm::Error that names the line without a number.
std::vector<double> read_angles(const std::string& path);

}  // namespace firm
