// Recognises transmissions by their values.
#pragma once

#include <string>
#include <vector>

#include "io/inspect/inspect.h"

namespace firm {

// Warns if values look like transmissions, 1 beside the object and lower inside, which an XRT site
// must declare. `outer_means`: means of the outermost beamlets of each frame. Empty: no warning.
std::string warn_transmission_values(const ValueStatistics& values,
                                     std::vector<double> outer_means);

}  // namespace firm
