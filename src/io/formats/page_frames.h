// PageFrames: frames from pages, the images in a file or in a folder of files.
//
// The order of the axes gives a page its meaning: with theta:y:x it is a frame, with y:theta:x the
// sinogram of a slice.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "io/formats/frames.h"

namespace firm {

// A file or folder with pages of equal size and type.
class PageSource {
 public:
  virtual ~PageSource() = default;

  // Reads the rows `first` .. `first + count - 1` of a page into `out`. Throws firm::Error when the
  // file is damaged there.
  virtual void read_rows(std::size_t page, std::size_t first, std::size_t count,
                         float* out) const = 0;
};

// Axes of pages, rows and columns.
struct PageAxes {
  enum Axis { kTheta, kY, kX };
  std::array<Axis, 3> axes = {kTheta, kY, kX};
  std::string text = "theta:y:x";  // as requested

  // 0: the axis is that of the pages, 1: rows, 2: columns.
  std::size_t position(Axis axis) const;
  PageAxes reversed() const;
};

// Parses the axes of an array. Default: "theta:y:x", or "theta:x" for two dimensions, which are one
// slice in one page. Throws firm::Error unless each axis is named once.
PageAxes page_axes(const std::string& file, const std::string& text, std::size_t dimensions);

class PageFrames : public Frames {
 public:
  // `size`: pages, rows and columns. `rows_together`: rows of a page that are stored together. Sets
  // the sizes and axes of `facts`.
  PageFrames(std::unique_ptr<PageSource> source, const PageAxes& axes,
             const std::array<std::size_t, 3>& size, std::size_t rows_together, Facts facts);

  std::vector<float> read(const FrameBox& box) const override;

 private:
  std::unique_ptr<PageSource> source_;
  PageAxes axes_;
  std::size_t columns_;
};

}  // namespace firm
