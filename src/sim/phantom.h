// Phantoms: known objects to simulate measurements of.
#pragma once

#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// One image stack per site: the elements an XRF site sees, in g/cm^3, and last what XRT sees, in
// 1/cm. XRT is the sum of coefficient times element, exactly (to float rounding).
struct Phantom {
  std::vector<std::string> titles;   // one per image stack
  std::vector<double> coefficients;  // cm^2/g, one per element
  std::vector<Block> images;         // pixels x slices, n x n pixels; elements first, XRT last
};

// The paper's three elements with the coefficients 0.1, 0.6, 0.3, on n x n pixels. All slices are
// equal.
Phantom paper_phantom(int n, int slices);

// A body of calcium, iron and zinc, with their mass attenuation coefficients at 12 keV. Its middle
// slice (slices odd) has the paper's shapes; towards the ends the body gets thinner, its core
// moves and its inclusions turn.
Phantom elements_phantom(int n, int slices);

}  // namespace firm
