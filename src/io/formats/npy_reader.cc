// .npy: one array (theta, y, x) or (theta, x), or with its axes in the order of the request.
#include <fmt/format.h>

#include <algorithm>

#include "firm/error.h"
#include "io/files/npy_file.h"
#include "io/formats/formats.h"
#include "io/formats/page_frames.h"

namespace firm {
namespace {

class NpyPages : public PageSource {
 public:
  NpyPages(std::unique_ptr<NpyFile> file, std::size_t rows, std::size_t columns)
      : file_(std::move(file)), rows_(rows), columns_(columns) {}

  void read_rows(std::size_t page, std::size_t first, std::size_t count,
                 float* out) const override {
    file_->read((page * rows_ + first) * columns_, {out, count * columns_});
  }

 private:
  std::unique_ptr<NpyFile> file_;
  std::size_t rows_;
  std::size_t columns_;
};

}  // namespace

Scan npy_scan(const std::string& path, const ScanRequest& request) {
  auto file = std::make_unique<NpyFile>(path);
  const h5::Shape& shape = file->shape();
  if ((shape.size() != 2 && shape.size() != 3) || h5::element_count(shape) == 0) {
    throw data_error({path, "shape", "two or three dimensions, (theta, x) or (theta, y, x)",
                      h5::to_string(shape)});
  }
  PageAxes axes = page_axes(path, request.axes, shape.size());
  std::array<std::size_t, 3> size = {1, 1, 1};
  std::copy(shape.rbegin(), shape.rend(), size.rbegin());
  // An array in Fortran order is one in C order with its dimensions reversed.
  if (file->fortran_order()) {
    axes = axes.reversed();
    std::reverse(size.begin(), size.end());
  }
  Frames::Facts facts;
  facts.path = "array";
  facts.shape = shape;
  facts.type = file->type().name();
  Scan scan;
  scan.format = file->fortran_order() ? "NumPy (.npy, Fortran order)" : "NumPy (.npy)";
  auto pages = std::make_unique<NpyPages>(std::move(file), size[1], size[2]);
  scan.data = std::make_unique<PageFrames>(std::move(pages), axes, size, 1, std::move(facts));
  return scan;
}

}  // namespace firm
