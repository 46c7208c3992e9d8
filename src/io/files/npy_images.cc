#include "io/files/npy_images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "firm/error.h"

namespace firm {
namespace {

constexpr const char* kExpected =
    "an array (slice, row, column), or (row, column) of one slice, none of them 0";

std::string array_of(const std::string& folder, const std::string& site) {
  const std::filesystem::path path = std::filesystem::path(folder) / (site + ".npy");
  if (!std::filesystem::exists(path)) {
    throw data_error({path.string(), "", fmt::format("the images of {}, {}", site, kExpected),
                      "No such file or directory"});
  }
  return path.string();
}

}  // namespace

NpyImages::NpyImages(const std::string& folder, const std::string& site)
    : name_(site + ".npy"), file_(array_of(folder, site)), shape_(file_.shape()) {
  if (shape_.size() == 2) shape_.insert(shape_.begin(), 1);
  if (shape_.size() == 3 && std::ranges::find(shape_, std::size_t{0}) == shape_.end()) return;
  throw data_error(
      {file_.path(), "shape", kExpected, fmt::format("({})", fmt::join(file_.shape(), ", "))});
}

void NpyImages::read(std::size_t slice, std::span<float> out) const {
  const std::size_t rows = shape_[1];
  const std::size_t columns = shape_[2];
  FIRM_CHECK(slice < shape_[0] && out.size() == rows * columns);
  if (!file_.fortran_order()) return file_.read(slice * out.size(), out);
  std::vector<float> all(shape_[0] * out.size());
  file_.read(0, all);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      out[r * columns + c] = all[slice + shape_[0] * (r + rows * c)];
    }
  }
}

void require_no_array(const std::string& path) {
  if (!std::filesystem::is_regular_file(path) || kind_of_file(path) != FileKind::kNpy) return;
  throw data_error({path, "",
                    "a folder with one array per site, named SITE.npy, or a NeXus file of images",
                    "a single array"});
}

}  // namespace firm
