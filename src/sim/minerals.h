// A grain of rock: calcium with grains of five other elements, for self-absorption with many sites.
#pragma once

#include <string>
#include <vector>

#include "sim/shapes.h"

namespace firm {

inline constexpr double kMineralEnergy = 12;  // keV

struct Mineral {
  std::string element;
  std::string line;  // that a detector measures
  double density;    // g/cm^3, where its shapes are 1
};

const std::vector<Mineral>& minerals();

// Shapes of one of minerals() in a slice: grains turn about the middle from slice to slice, and the
// rock gets thinner towards its ends.
Shapes mineral_shapes(std::size_t mineral, double height);

}  // namespace firm
