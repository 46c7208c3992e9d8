// Limits and logarithm of transmissions.
#pragma once

#include <cstddef>
#include <optional>

#include "prep/sinogram.h"

namespace firm {

struct Clipped {
  std::size_t low = 0;
  std::size_t high = 0;
};

// Limits usable values to low .. high; returns how many were below and above.
Clipped clip(const std::optional<double>& low, const std::optional<double>& high, Sinogram& s);

// b = -log(transmission); marks values that are not above 0, or infinite.
void take_logarithm(Sinogram& s);

}  // namespace firm
