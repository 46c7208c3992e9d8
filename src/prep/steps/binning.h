// Reads the slices of a study from a file, with beamlets and detector rows binned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/formats/frames.h"

namespace firm {

// Slice z is the mean of the detector rows first + z * binning .. first + (z + 1) * binning - 1.
// Beamlets are binned likewise, beginning with 0; a remainder at the end is not used.
struct Binning {
  std::size_t first = 0;
  std::size_t slices = 0;
  std::size_t binning = 1;
  // Problems that a mean would hide: values of at least `saturation`, and beamlets with the same
  // value in all frames.
  std::optional<double> saturation = {};
  bool find_stuck = false;
};

// Whether a beamlet has the same value in all frames; the worst of those that are binned together.
enum class Stuck : std::uint8_t { kNo, kAtZero, kAtValue };

struct BinnedFrames {
  Block values;                         // rows: frame * beamlets + beamlet; columns: slices
  std::vector<std::uint8_t> saturated;  // per value: 1 if saturated; empty without a limit
  std::vector<Stuck> stuck;             // beamlet * slices + slice; empty unless asked for
};

// Values of a box, in the order (frame, slice, beamlet).
struct RawFrames {
  std::span<const float> values;
  FrameBox box;
  std::size_t beamlets = 0;
};
// Bins a box into the rows of `out`.
void bin_frames(const RawFrames& raw, const Binning& how, BinnedFrames& out);

// Reads the file in pieces.
BinnedFrames read_binned(const Frames& frames, const Binning& how);

// Mean of the positive, finite values; reads the file in pieces, and keeps none.
double mean_of_positive(const Frames& frames, const Binning& how);

}  // namespace firm
