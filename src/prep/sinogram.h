// Sinogram: the values of a site during preparation, and marks on those that cannot be used.
//
// The steps of a preparation are functions on it. They mark unusable values with the reason, and
// never replace them. A mark stays, with the first reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

enum class Flaw : std::uint8_t {
  kNone,
  kMissing,  // its frame was never written
  kSaturated,
  kZinger,
  kNotFinite,
  kNoBeam,       // white is not above dark, no monitor, or no air
  kNotPositive,  // the transmission has no logarithm
  kDead,         // its beamlet never changes
  kOutside       // a vertical shift moves it beyond the rows of the file
};

struct Sinogram {
  std::size_t angles = 0;
  std::size_t beamlets = 0;
  Block values;             // rows: angle * beamlets + beamlet; columns: slices
  std::vector<Flaw> flaws;  // one per value, in the same order
  // Number in the study, for messages. Negative before the study, where vertical shifts reach.
  std::ptrdiff_t first_slice = 0;

  Sinogram() = default;
  // Starts without marks.
  Sinogram(std::size_t beamlet_count, Block block, std::ptrdiff_t first = 0);

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

// Marks NaN and infinite values.
void mark_not_finite(Sinogram& s);

// Describes the values with a flaw, of which there must be one: "3 NaN or infinite values, the
// first nan in slice 1, angle 2, beamlet 4". `frame`: name of a group of rows, if not angles.
std::string flaw_text(const Sinogram& s, Flaw flaw, const char* what, const char* frame = "angle");

// One slice, angle by angle. Replaces marked values by linear interpolation between the nearest
// usable beamlets of the same angle, or by 0 if there are none: for steps that need a value
// everywhere, and change usable values only.
std::vector<float> filled_slice(const Sinogram& s, std::size_t slice);

}  // namespace firm
