// Transmissions: their limits, and their logarithm.
#pragma once

#include <cstddef>
#include <optional>

#include "prep/sinogram.h"

namespace firm {

struct Clipped {
  std::size_t low = 0;
  std::size_t high = 0;
};

// Usable values below `low` become `low`, those above `high` become `high`; how many.
Clipped clip(const std::optional<double>& low, const std::optional<double>& high, Sinogram& s);

// b = -log(transmission); what is not above 0, or infinite, is marked.
void take_logarithm(Sinogram& s);

}  // namespace firm
