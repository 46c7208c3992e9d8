// Angles in a file of their own, for formats that have none.
#pragma once

#include <string>
#include <vector>

namespace firm {

// In degrees. A text with one number per line, or a .npy with one dimension. In a text, what
// follows a # is a comment; a comment "# units: rad" before the first number says that the angles
// are in radians. Throws firm::Error naming the line that is not a number.
std::vector<double> read_angles(const std::string& path);

}  // namespace firm
