#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "firm/error.h"
#include "io/files/number_type.h"
#include "io/hdf5/hdf5_detail.h"
#include "io/hdf5/hdf5_sources.h"

namespace firm::h5 {
namespace {

constexpr const char* kHdf5File = "an HDF5 file";

std::string name_of_type(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_STRING:
      return "string";
    case H5T_COMPOUND:
      return "compound";
    case H5T_ENUM:
      return "enum";
    default:
      return "other";
  }
}

bool is_numeric(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

Shape shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(rank, 0)));
  if (!sizes.empty()) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

Shape chunk_of(hid_t dataset, std::size_t rank) {
  const Handle properties(H5Dget_create_plist(dataset));
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED) return {};
  std::vector<hsize_t> sizes(rank);
  if (H5Pget_chunk(properties.get(), static_cast<int>(rank), sizes.data()) < 0) return {};
  return {sizes.begin(), sizes.end()};
}

// Throws the reason why a file could not be opened. `failure`: the message of the library.
[[noreturn]] void explain(const std::string& file, const std::string& failure) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    throw data_error({file, "", kHdf5File, std::strerror(errno)});
  }
  if (S_ISDIR(status.st_mode)) throw data_error({file, "", kHdf5File, "a directory"});
  const htri_t answer = H5Fis_hdf5(file.c_str());
  if (answer < 0) fail(file, "", "a readable HDF5 file");
  if (answer == 0) throw data_error({file, "", kHdf5File, "a file of another format"});
  throw data_error({file, "", "a complete HDF5 file", failure});
}

// Size of the file with a dataset or attribute.
std::uintmax_t file_bytes(hid_t object) {
  const Handle file(H5Iget_file_id(object));
  hsize_t bytes = 0;
  return H5Fget_filesize(file.get(), &bytes) < 0 ? 0 : bytes;
}

// Reads the texts of a dataset or attribute by `read(memory type, buffer)`; none when the file is
// too small to hold them.
template <typename Read>
std::vector<std::string> read_texts(hid_t object, hid_t type, hid_t space, const Read& read) {
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  std::vector<std::string> texts;
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(0, points));
  const std::size_t stored = H5Tget_size(type);
  if (stored == 0 || !fits({count}, stored, plausible_bytes(file_bytes(object)))) return texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> raw(count, nullptr);
    if (read(type, raw.data()) < 0) return texts;
    for (const char* text : raw) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    return texts;
  }
  std::vector<char> raw(count * stored);
  if (read(type, raw.data()) < 0) return texts;
  for (std::size_t i = 0; i < count; ++i) {
    const char* begin = raw.data() + i * stored;
    std::string text(begin, strnlen(begin, stored));
    // Fortran pads with blanks.
    while (!text.empty() && text.back() == ' ') text.pop_back();
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string join(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ":") + text;
  return all;
}

herr_t keep_dataset(hid_t, const char* name, const H5O_info_t* info, void* paths) {
  if (info->type == H5O_TYPE_DATASET) {
    static_cast<std::vector<std::string>*>(paths)->push_back(std::string("/") + name);
  }
  return 0;
}

}  // namespace

Dataset::Dataset(std::string file, std::string path, Handle handle, std::uintmax_t other_bytes)
    : file_(std::move(file)),
      path_(std::move(path)),
      handle_(std::move(handle)),
      other_bytes_(other_bytes) {
  const Handle space(H5Dget_space(handle_.get()));
  const Handle type(H5Dget_type(handle_.get()));
  shape_ = shape_of(space.get());
  chunk_ = chunk_of(handle_.get(), shape_.size());
  type_name_ = name_of_type(type.get());
  numeric_ = is_numeric(type.get());
}

void Dataset::check_size() const {
  const Handle properties(H5Dget_create_plist(handle_.get()));
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  const Handle type(H5Dget_type(handle_.get()));
  const std::size_t size = std::max<std::size_t>(1, H5Tget_size(type.get()));
  const std::uintmax_t bytes = file_bytes(handle_.get()) + other_bytes_;
  const bool chunked = layout == H5D_CHUNKED;
  const bool packed = chunked || layout == H5D_VIRTUAL;
  if (fits(shape_, size, packed ? plausible_bytes(bytes) : bytes) &&
      fits(chunk_, size, plausible_bytes(bytes))) {
    return;
  }
  throw data_error({file_, path_, "no more values than the file has room for",
                    fmt::format("the shape {}{}{} of {} in {} bytes", to_string(shape_),
                                chunked ? ", in chunks of " : "", chunked ? to_string(chunk_) : "",
                                type_name_, bytes)});
}

template <typename T>
void Dataset::read(const Slab& slab, std::span<T> out) const {
  FIRM_CHECK(out.size() == element_count(slab.count));
  if (!numeric_) throw data_error({file_, path_, "numbers", type_name_});
  const Handle source = select(handle_.get(), slab);
  const Handle target = space_of(slab.count);
  if (H5Dread(handle_.get(), native_type<T>(), target.get(), source.get(), H5P_DEFAULT,
              out.data()) < 0) {
    fail(file_, path_, "values that can be read");
  }
}

template <typename T>
std::vector<T> Dataset::read_all() const {
  check_size();
  std::vector<T> values(element_count(shape_));
  read(Slab{Shape(shape_.size(), 0), shape_}, std::span<T>(values));
  return values;
}

template void Dataset::read(const Slab&, std::span<float>) const;
template void Dataset::read(const Slab&, std::span<double>) const;
template void Dataset::read(const Slab&, std::span<std::int64_t>) const;
template std::vector<float> Dataset::read_all() const;
template std::vector<double> Dataset::read_all() const;
template std::vector<std::int64_t> Dataset::read_all() const;

Reader::Reader(std::string file, OtherFiles others) : file_(std::move(file)) {
  prepare_library();
  struct stat status {};
  // The library would wait for the other end of a pipe.
  if (::stat(file_.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    throw data_error({file_, "", kHdf5File, "a device or a pipe"});
  }
  links_ = std::make_unique<LinkGuard>(file_, others);
  handle_ = Handle(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!handle_.ok()) explain(file_, last_failure());
}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

OtherFiles Reader::others() const { return links_->others(); }

bool Reader::has(const std::string& path) const {
  if (path == "/") return true;
  // The library answers for a link only when all groups above it exist.
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    if (!has_link(path.substr(0, end))) return false;
  }
  return has_link(path);
}

bool Reader::has_link(const std::string& path) const {
  const htri_t answer = H5Lexists(handle_.get(), path.c_str(), links_->properties());
  links_->check(path);
  return answer > 0;
}

Handle Reader::try_open(const std::string& path) const {
  Handle id(H5Oopen(handle_.get(), path.c_str(), links_->properties()));
  links_->check(path);
  return id;
}

Handle Reader::open(const std::string& path) const {
  Handle id = try_open(path);
  if (!id.ok()) fail(file_, path, "a dataset");
  if (H5Iget_type(id.get()) != H5I_DATASET) {
    throw data_error({file_, path, "a dataset", "a group, or something else"});
  }
  return id;
}

Dataset Reader::dataset(const std::string& path) const {
  if (!has(path)) throw data_error({file_, path, "a dataset", "nothing of that name"});
  Handle id = open(path);
  const std::uintmax_t other_bytes = check_storage(*this, path, id.get());
  return {file_, path, std::move(id), other_bytes};
}

double Reader::number(const std::string& path) const {
  const Dataset source = dataset(path);
  if (element_count(source.shape()) != 1) {
    throw data_error({file_, path, "one number", "the shape " + to_string(source.shape())});
  }
  return source.read_all<double>().front();
}

std::string Reader::text(const std::string& path) const { return join(texts(path)); }

std::vector<std::string> Reader::texts(const std::string& path) const {
  const Handle id = open(path);
  check_storage(*this, path, id.get());
  const Handle type(H5Dget_type(id.get()));
  const Handle space(H5Dget_space(id.get()));
  if (H5Tget_class(type.get()) != H5T_STRING) {
    throw data_error({file_, path, "a text", name_of_type(type.get())});
  }
  return read_texts(id.get(), type.get(), space.get(), [&](hid_t memory, void* out) {
    return H5Dread(id.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

// No handle if there is no such attribute.
Handle Reader::attribute(const std::string& path, const std::string& name) const {
  const hid_t links = links_->properties();
  const htri_t exists = H5Aexists_by_name(handle_.get(), path.c_str(), name.c_str(), links);
  links_->check(path);
  if (exists <= 0) return {};
  return Handle(H5Aopen_by_name(handle_.get(), path.c_str(), name.c_str(), H5P_DEFAULT, links));
}

std::optional<std::string> Reader::text_attribute(const std::string& path,
                                                  const std::string& name) const {
  const Handle id = attribute(path, name);
  if (!id.ok()) return {};
  const Handle type(H5Aget_type(id.get()));
  const Handle space(H5Aget_space(id.get()));
  if (H5Tget_class(type.get()) != H5T_STRING) return {};
  return join(read_texts(id.get(), type.get(), space.get(),
                         [&](hid_t memory, void* out) { return H5Aread(id.get(), memory, out); }));
}

std::optional<double> Reader::number_attribute(const std::string& path,
                                               const std::string& name) const {
  const Handle id = attribute(path, name);
  if (!id.ok()) return {};
  const Handle type(H5Aget_type(id.get()));
  const Handle space(H5Aget_space(id.get()));
  if (!is_numeric(type.get()) || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  double value = 0;
  if (H5Aread(id.get(), H5T_NATIVE_DOUBLE, &value) < 0) return {};
  return value;
}

std::vector<std::string> Reader::dataset_paths() const {
  std::vector<std::string> paths;
  H5Ovisit2(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, keep_dataset, &paths, H5O_INFO_BASIC);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace firm::h5
