// Warnings about values during preparation; an empty text means no warning.
#pragma once

#include <string>

#include "prep/sinogram.h"

namespace firm {

// Warns about implausible transmissions: white frames or a monitor of another exposure or unit
// shift all logarithms by a constant.
// `normalized`: by white frames, a monitor or air; else the values may be counts.
std::string warn_transmissions(const Sinogram& s, bool normalized);

// Warns if transmissions relative to a monitor are not 1 beside the object, as is usual when the
// two counters have different amplifiers.
std::string warn_monitor(const Sinogram& s);

// Warns if all values are equal, such as 0: no signal, or the wrong dataset. `all`: whether these
// are all slices of the study.
std::string warn_values(const Sinogram& s, bool all);

}  // namespace firm
