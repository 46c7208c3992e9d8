// TransmittanceLayout: where T of an angle and a pixel lies in memory.
//
// There are two layouts, after the kernels that read T:
//   wide    [row][pixel][column], in the order of the image;
//   narrow  [column][row][pixel], in the order of the frame of the angle (StripPlan).
// With a grid of g, rows and pixels are blocks of g x g pixels, counted in the image from its first
// pixel. In a frame that starts at the other end, the first block may have fewer pixels.
#pragma once

#include <cstddef>
#include <vector>

#include "firm/geometry.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

// One orientation of the image, in blocks.
struct TransmittanceFrame {
  Orientation orientation;
  int width;
  int height;
  int x_offset;  // pixels missing in the first block of a row
  int y_offset;
  std::size_t row_elements;    // from one row to the next
  std::size_t plane_elements;  // from one column of the narrow layout to the next
};

class TransmittanceLayout {
 public:
  TransmittanceLayout(const Geometry& geometry, std::size_t columns, int grid, bool wide);

  const Geometry& geometry() const { return geometry_; }
  std::size_t columns() const { return columns_; }
  int grid() const { return 1 << shift_; }
  int shift() const { return shift_; }
  bool wide() const { return wide_; }

  // Columns that lie side by side in a row, and the number of such sets.
  std::size_t inner() const { return wide_ ? columns_ : 1; }
  std::size_t planes() const { return wide_ ? 1 : columns_; }

  const std::vector<TransmittanceFrame>& frames() const { return frames_; }
  std::size_t frame_of(std::size_t angle) const { return frame_of_[angle]; }
  const TransmittanceFrame& frame(std::size_t angle) const { return frames_[frame_of_[angle]]; }

  // Elements of one angle, with room for vectors that read beyond its end.
  std::size_t view_elements() const { return view_elements_; }

 private:
  Geometry geometry_;
  std::size_t columns_;
  int shift_;
  bool wide_;
  std::vector<TransmittanceFrame> frames_;
  std::vector<std::size_t> frame_of_;
  std::size_t view_elements_ = 0;
};

}  // namespace firm
