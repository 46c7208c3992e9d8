#include "tomo/reference_projector.h"

#include "tomo/siddon.h"

namespace firm {

ReferenceProjector::ReferenceProjector(const Geometry& geometry) : Projector(geometry) {}

const std::vector<ReferenceProjector::Entry>& ReferenceProjector::trace(std::size_t angle,
                                                                        int beamlet) {
  row_.clear();
  trace_ray(geometry(), angle, beamlet, [this](std::size_t pixel, double length) {
    row_.push_back({pixel, length});
  });
  return row_;
}

void ReferenceProjector::do_forward(const Block& x, Block& y) {
  const Geometry& g = geometry();
  std::size_t ray = 0;
  for (std::size_t angle = 0; angle < g.angles.size(); ++angle) {
    for (int beamlet = 0; beamlet < g.beamlets; ++beamlet, ++ray) {
      sum_.assign(x.columns(), 0.0);
      for (const Entry& e : trace(angle, beamlet)) {
        for (std::size_t c = 0; c < x.columns(); ++c) {
          sum_[c] += e.length * static_cast<double>(x(e.pixel, c));
        }
      }
      for (std::size_t c = 0; c < x.columns(); ++c) y(ray, c) = static_cast<float>(sum_[c]);
    }
  }
}

void ReferenceProjector::do_adjoint(const Block& y, Block& x) {
  const Geometry& g = geometry();
  sum_.assign(x.size(), 0.0);
  std::size_t ray = 0;
  for (std::size_t angle = 0; angle < g.angles.size(); ++angle) {
    for (int beamlet = 0; beamlet < g.beamlets; ++beamlet, ++ray) {
      for (const Entry& e : trace(angle, beamlet)) {
        for (std::size_t c = 0; c < y.columns(); ++c) {
          sum_[e.pixel * y.columns() + c] += e.length * static_cast<double>(y(ray, c));
        }
      }
    }
  }
  for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<float>(sum_[k]);
}

}  // namespace firm
