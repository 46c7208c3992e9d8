#include "prep/steps/dead_beamlets.h"

namespace firm {
namespace {

bool any_usable(const Sinogram& s, std::size_t beamlet, std::size_t slice) {
  for (std::size_t a = 0; a < s.angles; ++a) {
    if (s.usable(s.index(a, beamlet, slice))) return true;
  }
  return false;
}

}  // namespace

std::vector<DeadBeamlet> dead_beamlets(const Sinogram& s, const std::vector<Stuck>& stuck,
                                       bool zero_is_dead) {
  std::vector<DeadBeamlet> dead;
  if (s.angles < 3) return dead;
  const Stuck least = zero_is_dead ? Stuck::kAtZero : Stuck::kAtValue;
  for (std::size_t z = 0; z < s.slices(); ++z) {
    for (std::size_t x = 0; x < s.beamlets; ++x) {
      if (stuck[x * s.slices() + z] >= least && any_usable(s, x, z)) dead.push_back({x, z});
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
