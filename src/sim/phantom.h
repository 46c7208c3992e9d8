// Phantoms: known objects for simulated measurements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// One image stack per site: the density of each element in g/cm^3 (XRF), and last the attenuation
// in 1/cm (XRT), which is the sum of coefficient * element up to float rounding, and of matter that
// XRF does not see.
struct Phantom {
  std::vector<std::string> titles;   // one per image stack
  std::vector<double> coefficients;  // cm^2/g, one per element
  std::vector<Block> images;         // pixels x slices, n x n pixels; elements first, XRT last
  Block other = {};                  // attenuation of matter that XRF does not see; empty: none
  double energy = 0;                 // keV, of the coefficients; 0: not part of the study
};

// "paper", "elements", "shapes", "smooth", "rod", "minerals", "geode".
const std::vector<std::string>& phantom_names();

// Image stacks of a phantom: those of its elements, and XRT.
std::size_t phantom_sites(const std::string& name);

// Heights of slices within an object: -1 for the first, 1 for the last, 0 for one alone. `margin`
// adds slices at either end.
std::vector<double> slice_heights(int slices, int margin = 0);

// Draws one of phantom_names() on n x n pixels, with one slice for each height.
Phantom draw_phantom(const std::string& name, int n, std::span<const double> heights);

// The paper's three elements with the coefficients 0.1, 0.6, 0.3, on n x n pixels. All slices are
// equal.
Phantom paper_phantom(int n, int slices);

// A body of calcium, iron and zinc, with their mass attenuation coefficients at 12 keV. Its middle
// slice (if their number is odd) has the paper's shapes; towards the ends the body gets thinner,
// its core moves and its inclusions turn.
Phantom elements_phantom(int n, int slices);

// Three elements that share no edge: discs, bars and rings at different places, with the
// coefficients 0.3, 0.4 and 0.3. Slices are turned against each other; the middle one (if their
// number is odd) is not.
Phantom shapes_phantom(int n, int slices);

// A borosilicate glass rod with traces of zinc, and a tungsten and a gold wire beside it, for 12.1
// keV (sim/rod.h).
Phantom rod_phantom(int n, int slices);
// Three elements without any edge, the opposite of `shapes`: Gaussian blobs of several sizes, a
// gradient across a wide bump, and waves; the coefficients are 0.3, 0.4 and 0.3. Slices are turned
// like those of `shapes`.
Phantom smooth_phantom(int n, int slices);

}  // namespace firm
