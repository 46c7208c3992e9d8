// Recognises transmissions by their values.
#pragma once

#include <string>
#include <vector>

#include "io/inspect/inspect.h"

namespace firm {

// Levels of the values of a data file or of a site.
struct TransmissionLevels {
  double beside = 0;        // in the outermost beamlets, which objects usually leave free
  double inside = 0;        // a mean or a quantile, which matter lowers
  double inside_error = 0;  // noise of `inside`
  double lowest = 0;
  double highest = 0;
  double noise = 0;  // of `lowest` and `highest`
};

// Whether the values are between 0 and 1, up to noise.
bool in_range_of_transmissions(const TransmissionLevels& levels);
// Whether the values are 1 beside the object and lower inside, between 0 and 1 up to noise.
bool look_like_transmissions(const TransmissionLevels& levels);

// Levels of values of which only statistics are known. `outer`: median of the means of the
// outermost beamlets of each frame.
TransmissionLevels transmission_levels(const ValueStatistics& values, double outer);

// Warns if values look like transmissions, which an XRT site must declare. Empty: no warning.
std::string warn_transmission_values(const ValueStatistics& values, double outer);

}  // namespace firm
