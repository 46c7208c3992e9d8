// DetectorFilter: a symmetric filter along the detector, circular, one angle after another.
//
// Convolution in place of a Fourier transform: sums over d of h[d] x[j + d] run along contiguous
// beamlets, so they are fast, and any number of beamlets will do.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace firm {

class DetectorFilter {
 public:
  // `symbol`: factor of each frequency, from 0 to 1/2 cycles per beamlet.
  DetectorFilter(std::size_t beamlets, const std::function<double(double)>& symbol);

  std::size_t beamlets() const { return kernel_.size(); }
  // y += filter of x, both of one angle. `twice` is scratch of 2 * beamlets values.
  void add(std::span<const float> x, std::span<float> twice, std::span<float> y) const;

 private:
  std::vector<float> kernel_;  // h[d]
};

}  // namespace firm
