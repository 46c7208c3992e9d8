// Spectral norm: lambda_max(A^T A), from which every step size is derived.
#pragma once

#include "firm/projector.h"

namespace firm {

struct SpectralNorm {
  double lambda_max = 0;      // estimate, from below
  double relative_error = 0;  // an eigenvalue lies within lambda_max * (1 + relative_error)
  int iterations = 0;         // products with A^T A
};

// Runs Lanczos iterations from the all-ones vector until the residual bound of the largest Ritz
// value falls below `tolerance` (relative), or until `max_iterations` products are done. A^T A has
// no negative entry, so its leading eigenvector has none either, and the start vector is never
// orthogonal to it. Products are in single precision, so a tolerance below 1e-6 is out of reach.
SpectralNorm spectral_norm(Projector& projector, double tolerance = 1e-5, int max_iterations = 200);

}  // namespace firm
