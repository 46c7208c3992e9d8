#include "solve/absorption/absorbing_projectors.h"

#include <algorithm>
#include <limits>

namespace firm {

std::unique_ptr<Projector> AbsorbingProjectors::make(const Geometry& /*geometry*/,
                                                     const ProjectorOptions& options) const {
  return make_attenuated_projector(transmittance_, options);
}

// The matrix M = A^T A has no entry below 0, so by Collatz and Wielandt lambda_max(M) is at most
// the largest (M x)_p / x_p for any x > 0. Power iteration makes the bound tight.
double AbsorbingProjectors::lambda_max(const Geometry& geometry,
                                       const ProjectorOptions& options) const {
  constexpr int kIterations = 8;
  const std::size_t columns = transmittance_.columns();
  const std::unique_ptr<Projector> projector = make(geometry, options);
  Block x(geometry.pixels(), columns);
  Block next = x;
  Block rays(geometry.rays(), columns);
  std::ranges::fill(x.values(), 1.0f);
  double bound = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kIterations; ++k) {
    projector->forward(x, rays);
    projector->adjoint(rays, next);
    float most = 0;
    for (std::size_t p = 0; p < x.size(); ++p) {
      const float ratio = x.data()[p] > 0 ? next.data()[p] / x.data()[p] : 0;
      most = std::max(most, ratio);
    }
    if (!(most > 0)) return 0;  // no ray meets the image
    bound = std::min(bound, static_cast<double>(most));
    // Values far below the others would be lost to rounding, and the bound with them.
    for (std::size_t p = 0; p < x.size(); ++p) {
      x.data()[p] = std::max(next.data()[p] / most, 1e-6f);
    }
  }
  return bound;
}

}  // namespace firm
