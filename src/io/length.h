// Lengths with a unit, as files and studies carry them. Inside FIRM a length is in cm.
#pragma once

#include <optional>
#include <string>

namespace firm {

inline constexpr double kMicrometre = 1e-4;  // cm

// Size in cm of one "nm", "um", "mm", "cm" or "m" (and their usual spellings); nothing for others.
std::optional<double> length_unit(const std::string& name);

// The length in cm of "1 um", "0.65um" or "1e-4 cm"; nothing when the number or the unit is missing
// or is not one, when it is not finite, or when there is anything else. Signs are let through.
std::optional<double> parse_length(const std::string& text);

// "0.65 um", for people.
std::string length_text(double cm);
// The same where parse_length makes the same number of it, else one in cm of which it does.
std::string exact_length_text(double cm);

}  // namespace firm
