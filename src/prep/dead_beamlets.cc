#include "prep/dead_beamlets.h"

namespace firm {
namespace {

bool is_dead(const Sinogram& s, std::size_t beamlet, std::size_t slice, bool zero_is_dead) {
  const float first = s.value(s.index(0, beamlet, slice));
  if (first == 0 && !zero_is_dead) return false;
  bool usable = false;
  for (std::size_t a = 0; a < s.angles; ++a) {
    const std::size_t k = s.index(a, beamlet, slice);
    if (s.value(k) != first) return false;  // nor is one with a NaN
    usable = usable || s.usable(k);
  }
  return usable;
}

}  // namespace

std::vector<DeadBeamlet> dead_beamlets(const Sinogram& s, bool zero_is_dead) {
  std::vector<DeadBeamlet> dead;
  if (s.angles < 3) return dead;
  for (std::size_t z = 0; z < s.slices(); ++z) {
    for (std::size_t x = 0; x < s.beamlets; ++x) {
      if (is_dead(s, x, z, zero_is_dead)) dead.push_back({x, z});
    }
  }
  return dead;
}

void mark_dead(const std::vector<DeadBeamlet>& dead, Sinogram& s) {
  for (const DeadBeamlet& d : dead) {
    for (std::size_t a = 0; a < s.angles; ++a) s.mark(s.index(a, d.beamlet, d.slice), Flaw::kDead);
  }
}

}  // namespace firm
