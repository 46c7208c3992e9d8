// What inspection finds in values, batch by batch.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/frames.h"
#include "io/inspect.h"

namespace firm {

// One stack of frames. Keeps one frame, and two numbers for every frame.
class FieldSurvey {
 public:
  explicit FieldSurvey(const Frames::Facts& facts);

  // The next frames, whole ones, in the order (frame, slice, beamlet).
  void add(std::span<const float> values);

  ValueStatistics values() const;
  DeadReport dead() const;
  // Of the finite values of every frame; NaN where there are none.
  const std::vector<double>& frame_means() const { return frame_means_; }
  // The same of the outermost beamlets.
  const std::vector<double>& outer_means() const { return outer_means_; }

 private:
  void count(std::span<const float> values);
  void compare(std::span<const float> frame);
  void average(std::span<const float> frame);

  std::size_t slices_;
  std::size_t beamlets_;
  std::optional<float> largest_;  // of an integer type

  ValueStatistics statistics_;
  double sum_ = 0;
  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();

  std::size_t frames_ = 0;
  std::vector<float> first_;    // the first frame
  std::vector<char> constant_;  // what is the same in all frames so far
  std::vector<double> frame_means_;
  std::vector<double> outer_means_;
};

// Beamlets on each side that the object does not cover, as a rule: a twentieth.
std::size_t outer_beamlets(std::size_t beamlets);

// A level that differs from the one before by more than a tenth, and by more than nine times the
// median of such changes: in noise, one change in a billion does.
std::vector<Jump> find_jumps(const std::vector<double>& levels);
std::string jump_rule();

}  // namespace firm
