// Lengths with a unit, as files and studies carry them. Inside FIRM a length is in cm.
#pragma once

#include <optional>
#include <string>

namespace firm {

inline constexpr double kMicrometre = 1e-4;  // cm

// Size in cm of one "nm", "um", "mm", "cm" or "m" (and their usual spellings); nothing for others.
std::optional<double> length_unit(const std::string& name);

// "0.65 um".
std::string length_text(double cm);

}  // namespace firm
