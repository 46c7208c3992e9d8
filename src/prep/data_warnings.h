// What is odd about values while they are prepared, for people; empty: nothing.
#pragma once

#include <string>

#include "prep/sinogram.h"

namespace firm {

// White frames or a monitor of another exposure or unit shift all logarithms by a constant.
std::string warn_transmissions(const Sinogram& s);

// Counters have amplifiers of their own: what transmissions relative to a monitor are beside the
// object is hardly ever 1.
std::string warn_monitor(const Sinogram& s);

// The same value everywhere, 0 first of all: another dataset than was meant, or no signal. `all`:
// whether these are all slices of the study.
std::string warn_values(const Sinogram& s, bool all);

}  // namespace firm
