#include "prep/steps/missing_frames.h"

namespace firm {
namespace {

constexpr std::size_t kFewest = 20;

}  // namespace

std::vector<std::size_t> missing_frames(const Sinogram& s) {
  const std::size_t size = s.beamlets * s.slices();
  std::vector<std::size_t> empty;
  std::size_t filled = 0;  // nonzero values
  for (std::size_t a = 0; a < s.angles; ++a) {
    std::size_t here = 0;
    for (std::size_t k = a * size; k < (a + 1) * size; ++k) here += s.value(k) != 0 ? 1 : 0;
    if (here == 0) empty.push_back(a);
    filled += here;
  }
  if (filled == 0 || filled < kFewest * (s.angles - empty.size())) return {};
  return empty;
}

void mark_missing(const std::vector<std::size_t>& missing, Sinogram& s) {
  const std::size_t size = s.beamlets * s.slices();
  for (const std::size_t a : missing) {
    for (std::size_t k = a * size; k < (a + 1) * size; ++k) s.mark(k, Flaw::kMissing);
  }
}

}  // namespace firm
