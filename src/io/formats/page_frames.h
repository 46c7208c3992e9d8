// Frames out of pages: images that a file, or a folder of files, has one after the other.
//
// What a page is depends on the order of the axes: with theta:y:x it is a frame, with y:theta:x the
// sinogram of a slice.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "io/formats/frames.h"

namespace firm {

// All pages have the same size and type.
class PageSource {
 public:
  virtual ~PageSource() = default;

  // The rows `first` .. `first + count - 1` of a page, into `out`. Throws firm::Error when the file
  // is damaged there.
  virtual void read_rows(std::size_t page, std::size_t first, std::size_t count,
                         float* out) const = 0;
};

// What pages, rows and columns are.
struct PageAxes {
  enum Axis { kTheta, kY, kX };
  std::array<Axis, 3> axes = {kTheta, kY, kX};
  std::string text = "theta:y:x";  // as it was asked for

  // Where among pages, rows and columns an axis is.
  std::size_t position(Axis axis) const;
  PageAxes reversed() const;
};

// Of an array of two or three dimensions. Empty: "theta:y:x", or "theta:x" with two dimensions,
// which is one slice: one page with rows and columns. Throws firm::Error for what is not an order
// of these.
PageAxes page_axes(const std::string& file, const std::string& text, std::size_t dimensions);

class PageFrames : public Frames {
 public:
  // `size` is pages, rows and columns. Sizes and axes of `facts` are set here; `rows_together` is
  // how many rows of a page are stored together.
  PageFrames(std::unique_ptr<PageSource> source, const PageAxes& axes,
             const std::array<std::size_t, 3>& size, std::size_t rows_together, Facts facts);

  std::vector<float> read(const FrameBox& box) const override;

 private:
  std::unique_ptr<PageSource> source_;
  PageAxes axes_;
  std::size_t columns_;
};

}  // namespace firm
