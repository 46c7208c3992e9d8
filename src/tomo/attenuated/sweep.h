// Makes T of an angle by sweeps through its frame.
//
// A ray coordinate is the pixel that a ray meets in the first row of a sweep. In every row the
// attenuation is interpolated once, from pixels to rays, and summed along each ray; to get the path
// to a pixel's centre, sums are interpolated once, from rays to pixels. Neither spreads from row to
// row. In a row all rays are equally far from pixels, so that an interpolation is two
// multiply-adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firm/buffer.h"
#include "tomo/attenuated/attenuation_frames.h"
#include "tomo/attenuated/sweep_kernel.h"
#include "tomo/attenuated/transmittance_layout.h"

namespace firm {

// Memory of the threads that make T.
class SweepScratch {
 public:
  SweepScratch(const TransmittanceLayout& layout, std::size_t detectors, int threads);

  static std::size_t floats(const TransmittanceLayout& layout, std::size_t detectors);
  int threads() const { return static_cast<int>(workers_.size()); }
  float* worker(int thread) { return workers_[static_cast<std::size_t>(thread)].data(); }
  std::size_t bytes() const;

 private:
  std::vector<Buffer<float>> workers_;
};

// Angles that go through the rows of an image together, so that these are read from main memory
// once. In the narrow layout the rows of a column stay in the cache.
inline constexpr std::size_t kSweepBatch = 4;
inline std::size_t sweep_batch(const TransmittanceLayout& layout) {
  return layout.wide() ? kSweepBatch : 1;
}

// One plane of T of an angle.
struct SweepTask {
  std::vector<Sweep> sweeps;  // of make_sweeps()
  std::size_t frame;
  std::size_t plane;
  std::uint16_t* out;  // T of the angle
};

// Makes T for at most sweep_batch() tasks.
void make_transmittance(const TransmittanceLayout& layout, const AttenuationFrames& frames,
                        const TransmitFunctions& kernel, const std::vector<SweepTask>& tasks,
                        float* scratch);

}  // namespace firm
