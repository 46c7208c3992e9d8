#include "tomo/reference_projector.h"

#include <algorithm>

#include "tomo/siddon.h"

namespace firm {

ReferenceProjector::ReferenceProjector(const Geometry& geometry)
    : Projector(geometry), sum_(geometry.pixels()) {}

void ReferenceProjector::do_forward(const Block& x, Block& y) {
  const Geometry& g = geometry();
  std::size_t ray = 0;
  for (std::size_t angle = 0; angle < g.angles.size(); ++angle) {
    for (int beamlet = 0; beamlet < g.beamlets; ++beamlet, ++ray) {
      for (std::size_t column = 0; column < x.columns(); ++column) {
        double sum = 0;
        trace_ray(g, angle, beamlet, [&](std::size_t pixel, double length) {
          sum += length * static_cast<double>(x(pixel, column));
        });
        y(ray, column) = static_cast<float>(sum);
      }
    }
  }
}

void ReferenceProjector::do_adjoint(const Block& y, Block& x) {
  const Geometry& g = geometry();
  for (std::size_t column = 0; column < y.columns(); ++column) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::size_t ray = 0;
    for (std::size_t angle = 0; angle < g.angles.size(); ++angle) {
      for (int beamlet = 0; beamlet < g.beamlets; ++beamlet, ++ray) {
        const auto value = static_cast<double>(y(ray, column));
        trace_ray(g, angle, beamlet,
                  [&](std::size_t pixel, double length) { sum_[pixel] += length * value; });
      }
    }
    for (std::size_t pixel = 0; pixel < sum_.size(); ++pixel) {
      x(pixel, column) = static_cast<float>(sum_[pixel]);
    }
  }
}

}  // namespace firm
