// Angles in a file of their own, for formats that have none.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

// Reads angles in degrees from a text with one number per line, or a .npy with one dimension. A #
// in a text starts a comment; the comment "# units: rad" before the first number means radians.
// `unit`: size of the unit in degrees, instead of the one in the file. Throws firm::Error that
// names the line without a number.
std::vector<double> read_angles(const std::string& path, std::optional<double> unit = {});

// Whether angles given in degrees are probably radians: all within a turn of 2 pi, over a span
// between 1.5 and 6.3, and most of them no multiples of 0.05, as small angles in degrees would be.
bool look_like_radians(const std::vector<double>& degrees);

}  // namespace firm
