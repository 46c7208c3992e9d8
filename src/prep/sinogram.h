// Sinogram: the values of a site while they are prepared, and which of them cannot be used.
//
// The steps of a preparation are functions on it. A value that cannot be used is marked with the
// reason, and left as it is: nothing is invented in its place. What is marked stays so, with the
// first reason that was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

enum class Flaw : std::uint8_t {
  kNone,
  kMissing,  // of a frame that was never written
  kSaturated,
  kZinger,
  kNotFinite,
  kNoBeam,       // white that is not above dark, no monitor, no air to compare with
  kNotPositive,  // a transmission that has no logarithm
  kDead          // of a beamlet that never changes
};

struct Sinogram {
  std::size_t angles = 0;
  std::size_t beamlets = 0;
  Block values;                 // rows: angle * beamlets + beamlet; columns: slices
  std::vector<Flaw> flaws;      // of every value, in the same order
  std::size_t first_slice = 0;  // of the study, for people

  Sinogram() = default;
  // Nothing is marked.
  Sinogram(std::size_t beamlet_count, Block block, std::size_t first = 0);

  std::size_t slices() const { return values.columns(); }
  std::size_t size() const { return values.size(); }
  std::size_t index(std::size_t angle, std::size_t beamlet, std::size_t slice) const {
    return (angle * beamlets + beamlet) * slices() + slice;
  }
  float& value(std::size_t k) { return values.data()[k]; }
  float value(std::size_t k) const { return values.data()[k]; }

  bool usable(std::size_t k) const { return flaws[k] == Flaw::kNone; }
  void mark(std::size_t k, Flaw flaw) {
    if (usable(k)) flaws[k] = flaw;
  }
  std::size_t count(Flaw flaw) const;
  std::size_t unusable() const { return size() - count(Flaw::kNone); }
};

// Marks values that are NaN or infinite.
void mark_not_finite(Sinogram& s);

// "3 NaN or infinite values, the first nan in slice 1, angle 2, beamlet 4": those with this flaw,
// of which there is at least one. `frame`: what rows are grouped by, if not angles.
std::string flaw_text(const Sinogram& s, Flaw flaw, const char* what, const char* frame = "angle");

// One slice, angle by angle, with what is marked replaced by the straight line between the nearest
// usable beamlets of the same angle, and by 0 where an angle has none: for steps that need a value
// everywhere, and give back only those that were usable.
std::vector<float> filled_slice(const Sinogram& s, std::size_t slice);

}  // namespace firm
