// What inspection finds in values, piece by piece.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/formats/frames.h"
#include "io/inspect/inspect.h"

namespace firm {

// One stack of frames. Keeps one frame, and two numbers for every frame.
class FieldSurvey {
 public:
  explicit FieldSurvey(const Frames::Facts& facts);

  // The next piece, in the order (frame, slice, beamlet); of a slice, the frames are in their
  // order.
  void add(const FrameBox& box, std::span<const float> values);

  ValueStatistics values() const;
  DeadReport dead() const;
  // Frames whose values are all exactly 0; none when that is so for all frames.
  std::vector<std::size_t> missing() const;
  // Of the finite values of every frame; NaN where there are none.
  std::vector<double> frame_means() const { return values_of(frame_means_); }
  // The same of the outermost beamlets.
  std::vector<double> outer_means() const { return values_of(outer_means_); }

 private:
  // Of the finite ones among values that are added.
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
  std::vector<char> constant_;  // what is the same in all frames so far
  std::vector<char> written_;   // of every frame, whether any value is not 0
  std::vector<Mean> frame_means_;
  std::vector<Mean> outer_means_;
};

// Beamlets on each side that the object does not cover, as a rule: a twentieth.
std::size_t outer_beamlets(std::size_t beamlets);

// A level that differs from the one before by more than a tenth, and by more than nine times the
// median of such changes: in noise, one change in a billion does. The level before is the last one
// that is above 0; of levels that are 0, the first after one that is not is a jump, too, and does
// not count for the median.
std::vector<Jump> find_jumps(const std::vector<double>& levels);
std::string jump_rule();

}  // namespace firm
