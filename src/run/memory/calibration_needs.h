// Memory that `firm calibrate` takes, before anything is read.
#pragma once

#include <cstdint>

#include "model/study.h"

namespace firm {

// An upper bound: all slices are in memory at once. Sites whose values may turn out to have weights
// have weighted_values.
std::uint64_t calibration_needs(const Study& study);

}  // namespace firm
