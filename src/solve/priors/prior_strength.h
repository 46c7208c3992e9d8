// Finds the strength rho of the total-variation prior without knowing the true images.
//
// Each site leaves out a tenth of its rays and reconstructs its image alone from the others, for
// falling rho = 4, 2.8, 2, ..., each time from the image before. An image that is too smooth, or
// that fits noise, predicts the rays left out badly: their error has a minimum. One sum over sites
// of the errors / s_i^2, a number for each rho, gives the curve of the study. Its minimum
// times 1.4, a factor chosen on simulated studies, is the strength.
#pragma once

#include <cstdint>
#include <vector>

#include "firm/solution.h"
#include "model/collective.h"
#include "model/problem.h"

namespace firm {

struct StrengthInput {
  Problem& problem;
  const std::vector<double>& noise;        // s_i of each hosted column
  const std::vector<double>& unit_lambda;  // lambda of each hosted column at rho = 1
  std::uint64_t seed = 1;                  // selects the rays, together with the site
  int inner = 10;
  double slice_scale = 0;  // of TvOptions
};

struct FoundStrength {
  double strength = 0;
  std::vector<PriorSummary::Point> curve;  // from the largest rho to the smallest
  // The best image of each hosted column alone, 0 for `other`: pixels x Problem::columns().
  Block images;
};

// The values of rho that are tried.
std::vector<double> strength_grid();

// All processes of a run call it; it takes one sum.
FoundStrength find_strength(const StrengthInput& input, Collective& collective);

// Minimum of a curve, by a parabola in log rho through the smallest error and its neighbours.
double strength_at_minimum(const std::vector<PriorSummary::Point>& curve);

}  // namespace firm
