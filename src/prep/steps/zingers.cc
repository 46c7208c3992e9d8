#include "prep/steps/zingers.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace firm {
namespace {

// Median of the usable values in the 3 x 3 values around a usable one.
double local_median(const Sinogram& s, std::size_t angle, std::size_t beamlet, std::size_t slice,
                    std::vector<float>& values) {
  values.clear();
  const std::size_t last_angle = std::min(angle + 1, s.angles - 1);
  const std::size_t last_beamlet = std::min(beamlet + 1, s.beamlets - 1);
  for (std::size_t a = angle - std::min<std::size_t>(angle, 1); a <= last_angle; ++a) {
    for (std::size_t x = beamlet - std::min<std::size_t>(beamlet, 1); x <= last_beamlet; ++x) {
      const std::size_t k = s.index(a, x, slice);
      if (s.usable(k)) values.push_back(s.value(k));
    }
  }
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  const double upper = static_cast<double>(values[count / 2]);
  return count % 2 == 1 ? upper : (upper + static_cast<double>(values[count / 2 - 1])) / 2;
}

void mark_in_slice(double threshold, std::size_t slice, Sinogram& s) {
  std::vector<double> medians(s.angles * s.beamlets);
  std::vector<float> around;  // scratch
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t ray = 0; ray < medians.size(); ++ray) {
    if (!s.usable(ray * s.slices() + slice)) continue;
    medians[ray] = local_median(s, ray / s.beamlets, ray % s.beamlets, slice, around);
    sum += std::abs(medians[ray]);
    ++count;
  }
  if (!(sum > 0)) return;
  const double mean = sum / static_cast<double>(count);
  // Marks after all medians are computed, so that marks do not change them.
  for (std::size_t ray = 0; ray < medians.size(); ++ray) {
    const std::size_t k = ray * s.slices() + slice;
    const double difference = std::abs(static_cast<double>(s.value(k)) - medians[ray]);
    if (s.usable(k) && difference > threshold * std::max(std::abs(medians[ray]), mean)) {
      s.mark(k, Flaw::kZinger);
    }
  }
}

}  // namespace

void mark_zingers(double threshold, Sinogram& s) {
  parallel_for(s.slices(), thread_count(0),
               [&](std::size_t slice) { mark_in_slice(threshold, slice, s); });
}

}  // namespace firm
