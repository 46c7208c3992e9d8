// Numbers with a unit, as files and studies carry them. Inside FIRM a length is in cm, an energy in
// keV, a mass attenuation coefficient in cm^2/g, an area density in g/cm^2, an angle of a study in
// degrees.
#pragma once

#include <optional>
#include <string>

namespace firm {

inline constexpr double kMicrometre = 1e-4;  // cm

enum class Dimension { kLength, kEnergy, kMassAttenuation, kAreaDensity, kAngle };

// Size of one such unit ("nm", "um", "mm", "cm", "m" and their usual spellings; "eV", "keV", "MeV";
// "cm^2/g", "cm2/g", "m^2/kg"; "ug/cm^2", "mg cm-2"; "deg", "rad", ...) in that of FIRM; nothing
// for others.
std::optional<double> unit_size(Dimension dimension, const std::string& name);
// The units that are known, for people: "nm, um, mm, cm, m".
std::string unit_names(Dimension dimension);

// "1 um", "0.65um", "12.1 keV" in the unit of FIRM; nothing when the number or the unit is missing
// or is not one, when it is not finite, or when there is anything else. Signs are let through.
std::optional<double> parse_quantity(Dimension dimension, const std::string& text);

std::optional<double> length_unit(const std::string& name);
std::optional<double> parse_length(const std::string& text);
// "0.65 um", for people.
std::string length_text(double cm);
// The same where parse_length makes the same number of it, else one in cm of which it does.
std::string exact_length_text(double cm);

}  // namespace firm
