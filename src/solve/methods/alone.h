// Each hosted site by itself, until more steps would fit noise: what pgd gives without options.
// firm-ds measures its own end by it.
#pragma once

#include <vector>

#include "firm/block.h"
#include "model/problem.h"

namespace firm {

struct AloneFit {
  std::vector<double> squares;  // ||A w - b||^2 of each hosted column; 0 for `other`
  // A_N w of XRT, weighted as the data of the problem; empty if XRT is not hosted.
  Block transmission;
  double seconds = 0;  // in products with A and its transpose
};

// `strength`: stop.noise. `images` receives all hosted columns.
AloneFit fit_alone(Problem& problem, double strength, Block& images);

}  // namespace firm
