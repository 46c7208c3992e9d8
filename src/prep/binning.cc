#include "prep/binning.h"

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {

void bin_frames(const RawFrames& raw, const Binning& how, std::size_t first_frame,
                BinnedFrames& out) {
  const std::size_t n = how.binning;
  const std::size_t beamlets = raw.beamlets / n;
  const std::size_t rows = how.slices * n;
  FIRM_CHECK(raw.values.size() == raw.frames * rows * raw.beamlets);
  const double part = 1.0 / static_cast<double>(n * n);
  for (std::size_t f = 0; f < raw.frames; ++f) {
    for (std::size_t z = 0; z < how.slices; ++z) {
      const float* corner = raw.values.data() + (f * rows + z * n) * raw.beamlets;
      for (std::size_t x = 0; x < beamlets; ++x) {
        double sum = 0;
        bool saturated = false;
        for (std::size_t i = 0; i < n * n; ++i) {
          const auto value = static_cast<double>(corner[i / n * raw.beamlets + x * n + i % n]);
          sum += value;
          saturated = saturated || (how.saturation && value >= *how.saturation);
        }
        const std::size_t row = (first_frame + f) * beamlets + x;
        out.values(row, z) = static_cast<float>(n == 1 ? sum : sum * part);
        if (how.saturation) out.saturated[row * how.slices + z] = saturated ? 1 : 0;
      }
    }
  }
}

BinnedFrames read_binned(const Frames& frames, const Binning& how) {
  const std::size_t rows = how.slices * how.binning;
  BinnedFrames all;
  all.values = Block(frames.frames() * (frames.beamlets() / how.binning), how.slices);
  if (how.saturation) all.saturated.resize(all.values.size());
  const std::size_t batch = batch_frames(frames, rows);
  for (std::size_t f = 0; f < frames.frames(); f += batch) {
    const std::size_t some = std::min(batch, frames.frames() - f);
    const std::vector<float> raw = frames.read({f, some, how.first, rows});
    bin_frames({raw, some, frames.beamlets()}, how, f, all);
  }
  return all;
}

double mean_of_positive(const Frames& frames, const Binning& how) {
  const std::size_t rows = how.slices * how.binning;
  const std::size_t batch = batch_frames(frames, rows);
  double sum = 0;
  double count = 0;
  for (std::size_t f = 0; f < frames.frames(); f += batch) {
    const std::size_t some = std::min(batch, frames.frames() - f);
    for (const float value : frames.read({f, some, how.first, rows})) {
      if (!(value > 0) || !std::isfinite(value)) continue;
      sum += static_cast<double>(value);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace firm
