// Interpretation of the unit that a file gives for its data.
#pragma once

#include <string>

namespace firm {

// Whether a unit is one of detector counts, in any spelling: "counts", "cts/s", ...
bool is_unit_of_counts(std::string unit);

struct XrfUnit {
  double size = 1;      // in g/cm^2
  std::string warning;  // empty: none
};

// Unit of an XRF site without `scale` in the study. Area densities are converted; anything else
// gets a warning. `unit` is empty when the file gives none.
XrfUnit xrf_unit(const std::string& unit);

// Warns about counts that the study takes for g/cm^2 by scale = 1; empty: no warning.
std::string warn_scale(const std::string& unit, double scale);

// Warns about the unit of an XRT site whose file holds logarithms; empty: no warning.
std::string warn_logarithms(const std::string& unit);

}  // namespace firm
