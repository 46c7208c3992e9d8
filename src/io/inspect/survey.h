// Statistics of values that arrive piece by piece.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/formats/frames.h"
#include "io/inspect/inspect.h"

namespace firm {

// Surveys a stack of frames. Keeps one frame, and two numbers per frame.
class FieldSurvey {
 public:
  explicit FieldSurvey(const Frames::Facts& facts);

  // Adds a piece in the order (frame, slice, beamlet). The pieces of a slice must come in the order
  // of their frames.
  void add(const FrameBox& box, std::span<const float> values);

  ValueStatistics values() const;
  DeadReport dead() const;
  // Frames whose values are all 0; empty when all frames are.
  std::vector<std::size_t> missing() const;
  // Mean of the finite values of each frame; NaN where there are none.
  std::vector<double> frame_means() const { return values_of(frame_means_); }
  // Mean of the outermost beamlets of each frame.
  std::vector<double> outer_means() const { return values_of(outer_means_); }

 private:
  // Mean of the finite values.
  class Mean {
   public:
    void add(std::span<const float> values);
    double value() const { return sum_ / static_cast<double>(count_); }  // 0 / 0 is NaN

   private:
    double sum_ = 0;
    std::size_t count_ = 0;
  };

  static std::vector<double> values_of(const std::vector<Mean>& means);
  void count(std::span<const float> values);
  // Rows of one frame, from the slice `first` on.
  void compare(std::size_t frame, std::size_t first, std::span<const float> rows);
  void average(std::size_t frame, std::span<const float> rows);

  std::size_t beamlets_;
  std::optional<float> largest_;  // of an integer type

  ValueStatistics statistics_;
  double sum_ = 0;
  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();

  std::vector<float> first_;    // the first frame
  std::vector<char> constant_;  // whether a value is equal in all frames so far
  std::vector<char> written_;   // whether a frame has a value other than 0
  std::vector<Mean> frame_means_;
  std::vector<Mean> outer_means_;
};

// Number of beamlets on each side that objects usually leave free: a twentieth.
std::size_t outer_beamlets(std::size_t beamlets);

// Finds levels that differ from the one before by more than a tenth, and by more than nine times
// the median change; of changes by noise, one in a billion does. The level before is the last one
// above 0. The first of consecutive levels of 0 is a jump, too, and does not count for the median.
std::vector<Jump> find_jumps(const std::vector<double>& levels);
std::string jump_rule();

}  // namespace firm
