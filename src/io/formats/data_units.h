// What the unit that a file gives for its data is taken for.
#pragma once

#include <string>

namespace firm {

// "counts", "cts/s", ...: what detectors count in, as files write it.
bool is_unit_of_counts(std::string unit);

struct XrfUnit {
  double size = 1;    // in g/cm^2
  std::string doubt;  // what people should know; empty: nothing
};

// Of the data of an XRF site for which the study gives no `scale`: area densities are converted,
// anything else is taken for g/cm^2. `unit` is empty where the file does not tell.
XrfUnit xrf_unit(const std::string& unit);

// Of the data of an XRT site whose logarithm is taken already: empty, or what people should know.
std::string warn_logarithms(const std::string& unit);

}  // namespace firm
