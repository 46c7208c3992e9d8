// Reading the part of a file that a study asks for, with beamlets and rows put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/formats/frames.h"

namespace firm {

// Which rows of the detector become slices: slice z is the mean of the rows
// first + z * binning .. first + (z + 1) * binning - 1, and so for beamlets from 0 on. Beamlets
// that are left over at the end are not used.
struct Binning {
  std::size_t first = 0;
  std::size_t slices = 0;
  std::size_t binning = 1;
  // What a mean would hide is remembered: values of at least `saturation`, and beamlets whose
  // values are the same in all frames.
  std::optional<double> saturation = {};
  bool find_stuck = false;
};

// Of what a slice and beamlet is the mean, the worst.
enum class Stuck : std::uint8_t { kNo, kAtZero, kAtValue };

struct BinnedFrames {
  Block values;                         // rows: frame * beamlets + beamlet; columns: slices
  std::vector<std::uint8_t> saturated;  // of every value, 1 where it is; empty without a limit
  std::vector<Stuck> stuck;             // beamlet * slices + slice; empty unless asked for
};

// `values` are those of the box, in the order (frame, slice, beamlet). They become rows of `out`.
struct RawFrames {
  std::span<const float> values;
  FrameBox box;
  std::size_t beamlets = 0;
};
void bin_frames(const RawFrames& raw, const Binning& how, BinnedFrames& out);

// Reads the file in pieces.
BinnedFrames read_binned(const Frames& frames, const Binning& how);

// Of the values that are positive and finite; the same pieces, of which none is kept.
double mean_of_positive(const Frames& frames, const Binning& how);

}  // namespace firm
