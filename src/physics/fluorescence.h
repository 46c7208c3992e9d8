// Fluorescence lines of the elements, from the tables of xraylib.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

struct FluorescenceLine {
  std::string name;   // "Fe Ka"
  double energy = 0;  // keV
  double edge = 0;    // keV: a beam of less energy does not excite it
};

// Names of the lines that fluorescence_line() knows: "Ka", "Ka1", ..., "Ma1".
const std::vector<std::string>& line_names();

// Finds a line by element and name, with a space, '_' or '-' between them: "Fe Ka", "W_La1". None
// if there is no such element or line, or the tables do not have it.
std::optional<FluorescenceLine> fluorescence_line(const std::string& text);

// Returns the line that a spectrum shows best of the element of a channel ("Fe", "Fe_K", "Pt_La")
// at an incident energy: the one that the channel names, else Ka, La or Ma, the first that the beam
// excites. None if it excites none.
std::optional<FluorescenceLine> line_of_channel(const std::string& channel, double kev);

}  // namespace firm
