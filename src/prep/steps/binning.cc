#include "prep/steps/binning.h"

#include <algorithm>
#include <cmath>

#include "core/interruption.h"
#include "firm/error.h"

namespace firm {

namespace {

// Finds values that are equal in all frames, before binning.
class StuckSearch {
 public:
  StuckSearch(const Frames& frames, const Binning& how)
      : how_(how),
        beamlets_(frames.beamlets()),
        first_(how.find_stuck ? how.slices * how.binning * beamlets_ : 0),
        constant_(first_.size(), 1) {}

  void add(const FrameBox& box, std::span<const float> values) {
    if (first_.empty()) return;
    const std::size_t size = box.slices * beamlets_;
    const std::size_t at = (box.first_slice - how_.first) * beamlets_;
    for (std::size_t f = 0; f < box.frames; ++f) {
      const float* frame = values.data() + f * size;
      const bool begin = box.first_frame + f == 0;
      for (std::size_t k = 0; k < size; ++k) {
        if (begin) first_[at + k] = frame[k];
        if (frame[k] != first_[at + k]) constant_[at + k] = 0;  // also for NaN
      }
    }
  }

  std::vector<Stuck> bins() const {
    const std::size_t n = how_.binning;
    const std::size_t beamlets = beamlets_ / n;
    std::vector<Stuck> stuck(how_.find_stuck ? beamlets * how_.slices : 0, Stuck::kNo);
    for (std::size_t k = 0; k < first_.size(); ++k) {
      const std::size_t x = k % beamlets_ / n;
      if (constant_[k] == 0 || x >= beamlets) continue;
      Stuck& bin = stuck[x * how_.slices + k / beamlets_ / n];
      bin = std::max(bin, first_[k] == 0 ? Stuck::kAtZero : Stuck::kAtValue);
    }
    return stuck;
  }

 private:
  const Binning& how_;
  std::size_t beamlets_;
  std::vector<float> first_;  // the first frame, not binned
  std::vector<std::uint8_t> constant_;
};

}  // namespace

void bin_frames(const RawFrames& raw, const Binning& how, BinnedFrames& out) {
  const std::size_t n = how.binning;
  const std::size_t beamlets = raw.beamlets / n;
  const FrameBox& box = raw.box;
  FIRM_CHECK(raw.values.size() == box.frames * box.slices * raw.beamlets);
  const double part = 1.0 / static_cast<double>(n * n);
  for (std::size_t f = 0; f < box.frames; ++f) {
    for (std::size_t y = 0; y < box.slices; y += n) {
      const float* corner = raw.values.data() + (f * box.slices + y) * raw.beamlets;
      const std::size_t z = (box.first_slice - how.first + y) / n;
      for (std::size_t x = 0; x < beamlets; ++x) {
        double sum = 0;
        bool saturated = false;
        for (std::size_t i = 0; i < n * n; ++i) {
          const auto value = static_cast<double>(corner[i / n * raw.beamlets + x * n + i % n]);
          sum += value;
          saturated = saturated || (how.saturation && value >= *how.saturation);
        }
        const std::size_t row = (box.first_frame + f) * beamlets + x;
        out.values(row, z) = static_cast<float>(n == 1 ? sum : sum * part);
        if (how.saturation) out.saturated[row * how.slices + z] = saturated ? 1 : 0;
      }
    }
  }
}

BinnedFrames read_binned(const Frames& frames, const Binning& how) {
  BinnedFrames all;
  all.values = Block(frames.frames() * (frames.beamlets() / how.binning), how.slices);
  if (how.saturation) all.saturated.resize(all.values.size());
  StuckSearch search(frames, how);
  for (const FrameBox& box : pieces_of(frames, how.first, how.slices * how.binning, how.binning)) {
    check_interruption();
    const std::vector<float> raw = frames.read(box);
    bin_frames({raw, box, frames.beamlets()}, how, all);
    search.add(box, raw);
  }
  all.stuck = search.bins();
  return all;
}

double mean_of_positive(const Frames& frames, const Binning& how) {
  double sum = 0;
  double count = 0;
  for (const FrameBox& box : pieces_of(frames, how.first, how.slices * how.binning)) {
    check_interruption();
    for (const float value : frames.read(box)) {
      if (!(value > 0) || !std::isfinite(value)) continue;
      sum += static_cast<double>(value);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace firm
