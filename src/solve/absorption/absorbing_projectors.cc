#include "solve/absorption/absorbing_projectors.h"

#include <algorithm>
#include <vector>

namespace firm {

std::unique_ptr<Projector> AbsorbingProjectors::make(const Geometry& /*geometry*/,
                                                     const ProjectorOptions& options) const {
  return make_attenuated_projector(transmittance_, options);
}

// The matrix M = A^T A has no entry below 0, so diag((M x) / x) >= M for any x > 0: for all v,
// sum_pq M_pq x_p x_q (v_p / x_p - v_q / x_q)^2 >= 0. With 1 / x the sum of the columns of A, which
// is the mean of T over the angles up to a factor, M x is about the same at all pixels.
Block AbsorbingProjectors::curvature(const Geometry& geometry,
                                     const ProjectorOptions& options) const {
  constexpr float kLeast = 1e-2f;  // of 1 / x: less would be lost to rounding
  const std::size_t columns = transmittance_.columns();
  const std::unique_ptr<Projector> projector = make(geometry, options);
  Block rays(geometry.rays(), columns);
  std::ranges::fill(rays.values(), 1.0f);
  Block x(geometry.pixels(), columns);
  projector->adjoint(rays, x);
  std::vector<float> least(columns, 0.0f);
  for (std::size_t p = 0; p < x.rows(); ++p) {
    for (std::size_t c = 0; c < columns; ++c) least[c] = std::max(least[c], kLeast * x(p, c));
  }
  for (std::size_t p = 0; p < x.rows(); ++p) {
    for (std::size_t c = 0; c < columns; ++c) x(p, c) = 1 / std::max(x(p, c), least[c]);
  }
  projector->forward(x, rays);
  Block bound(geometry.pixels(), columns);
  projector->adjoint(rays, bound);
  for (std::size_t k = 0; k < x.size(); ++k) bound.data()[k] /= x.data()[k];
  return bound;
}

}  // namespace firm
