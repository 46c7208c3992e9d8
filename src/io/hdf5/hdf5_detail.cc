#include "io/hdf5/hdf5_detail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

#include "firm/error.h"

namespace firm::h5 {
namespace {

herr_t keep_first(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

// The system's message within the long line of the library; the whole line if it has none.
std::string system_message(const std::string& text) {
  constexpr std::string_view kMark = "error message = '";
  const std::size_t begin = text.find(kMark);
  if (begin == std::string::npos) return text;
  const std::size_t end = text.find('\'', begin + kMark.size());
  return text.substr(begin + kMark.size(), end - begin - kMark.size());
}

}  // namespace

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  return count;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("({})", fmt::join(shape, ", "));
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = other.release();
  }
  return *this;
}

std::int64_t Handle::release() { return std::exchange(id_, -1); }

void Handle::reset() {
  if (ok()) H5Idec_ref(id_);
  id_ = -1;
}

void prepare_library() {
  // The clean-up of the library at exit crashes after a full disk kept a file from closing (seen
  // with 1.10.8). Handles close everything, so it is not needed.
  static const bool once = H5dont_atexit() >= 0;
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string last_failure() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "a failure of the HDF5 library" : system_message(text);
}

void fail(const std::string& file, const std::string& path, const std::string& expected) {
  throw data_error({file, path, expected, last_failure()});
}

template <>
hid_t native_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<std::uint16_t>() {
  return H5T_NATIVE_UINT16;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

std::vector<hsize_t> extents(const Shape& shape) { return {shape.begin(), shape.end()}; }

Handle space_of(const Shape& shape) {
  if (shape.empty()) return Handle(H5Screate(H5S_SCALAR));
  const std::vector<hsize_t> sizes = extents(shape);
  return Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
}

Handle select(hid_t dataset, const Slab& slab) {
  Handle space(H5Dget_space(dataset));
  const std::vector<hsize_t> start = extents(slab.start);
  const std::vector<hsize_t> count = extents(slab.count);
  if (!start.empty()) {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  }
  return space;
}

}  // namespace firm::h5
