// The slow, plain way to T and to the attenuated projector, in double precision. For tests.
#pragma once

#include <cstddef>
#include <vector>

#include "tomo/attenuated/attenuated.h"

namespace firm {

// T at one angle, pixels x columns, from the exact lengths of rays in pixels: along the beam to the
// pixel's centre, and from there towards the detector.
Block reference_transmittance(const Geometry& geometry, const FluorescencePath& path,
                              const Block& incident, const Block& line, std::size_t angle);

// A_theta diag(T_theta) by Siddon's walk, with T as of the last update.
class ReferenceAttenuatedProjector final : public Projector {
 public:
  explicit ReferenceAttenuatedProjector(const Transmittance& transmittance);

  std::string kernel() const override { return "reference"; }
  std::size_t bytes() const override { return sum_.size() * sizeof(double); }

 private:
  void do_forward(const Block& x, Block& y) override;
  void do_adjoint(const Block& y, Block& x) override;

  const Transmittance& transmittance_;
  std::vector<double> sum_;
};

}  // namespace firm
