// Numbers with units in files and studies. Inside FIRM, lengths are in cm, energies in keV, mass
// attenuation coefficients in cm^2/g, area densities in g/cm^2, angles of a study in degrees.
#pragma once

#include <optional>
#include <string>

namespace firm {

inline constexpr double kMicrometre = 1e-4;  // cm

enum class Dimension { kLength, kEnergy, kMassAttenuation, kAreaDensity, kAngle };

// Size of a unit ("nm", "um", "mm", "cm", "m" and their usual spellings; "eV", "keV", "MeV";
// "cm^2/g", "cm2/g", "m^2/kg"; "ug/cm^2", "mg cm-2"; "deg", "rad", ...) in the unit of FIRM; none
// if unknown.
std::optional<double> unit_size(Dimension dimension, const std::string& name);
// Known units, for messages: "nm, um, mm, cm, m".
std::string unit_names(Dimension dimension);

// Parses "1 um", "0.65um" or "12.1 keV" into the unit of FIRM. None unless the text is one finite
// number, of any sign, and a known unit.
std::optional<double> parse_quantity(Dimension dimension, const std::string& text);

// Returns `text` with the known unit most similar to its own: "12 keV" for "12 kev". None if the
// text does not begin with a number, or no unit is similar.
std::optional<std::string> closest_quantity(Dimension dimension, const std::string& text);

std::optional<double> length_unit(const std::string& name);
std::optional<double> parse_length(const std::string& text);
// "0.65 um", for messages.
std::string length_text(double cm);
// In um if parse_length gives back the same number, else in cm, where it does.
std::string exact_length_text(double cm);

}  // namespace firm
