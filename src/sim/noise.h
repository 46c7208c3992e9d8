// Noise that depends only on its seed: not on threads, and not on the standard library, whose
// distributions differ between implementations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "firm/block.h"

namespace firm {

// Random numbers of one stream. Equal seeds and streams give equal numbers; give each site its own
// stream.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream);

  // Uniform on (0, 1), 53 bits.
  double uniform();
  // Standard normal, by the Box-Muller transform.
  double normal();
  // Poisson with mean >= 0, exact: sequential inversion for means below 10, else the transformed
  // rejection PTRS of W. Hoermann, Insurance: Mathematics and Economics 12 (1993) 39.
  double poisson(double mean);

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// b += e, e normal with standard deviation `level` * max(b) of each slice (column of b). `level` is
// s of the paper.
void add_gaussian_noise(double level, Random& random, Block& b);

// A transmission measurement as recorded by a detector. Rows are angle (or frame) * beamlets +
// beamlet.
struct Counts {
  Block data;
  Block white;  // beam without the object
  Block dark;   // no beam
};

// data ~ Poisson(I0 exp(-b) + d), white ~ Poisson(I0 + d), dark ~ Poisson(d), with I0 =
// `incident` counts and a dark signal d of one percent of it; ten white and ten dark frames.
Counts count_photons(const Block& b, std::size_t beamlets, double incident, Random& random);

struct Absorption {
  Block b;
  // Rays whose transmission is not positive; they are set to half a count.
  std::size_t clipped = 0;
};

// The inverse: b = -log((data - dark) / (white - dark)), with white and dark averaged over frames.
Absorption absorption(const Counts& counts, std::size_t beamlets);

}  // namespace firm
