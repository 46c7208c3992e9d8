#include <fmt/format.h>

#include "firm/error.h"
#include "io/hdf5/hdf5_detail.h"

namespace firm::h5 {
namespace {

constexpr const char* kRoom = "a file that can be written";

Handle link_properties() {
  Handle properties(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(properties.get(), 1);
  return properties;
}

// Stores no times in object headers, so that equal content means equal bytes.
Handle object_properties(hid_t kind) {
  Handle properties(H5Pcreate(kind));
  H5Pset_obj_track_times(properties.get(), false);
  return properties;
}

Handle create_dataset(hid_t file, const std::string& path, hid_t type, const Shape& shape) {
  const Handle space = space_of(shape);
  const Handle links = link_properties();
  const Handle properties = object_properties(H5P_DATASET_CREATE);
  return Handle(H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), properties.get(),
                           H5P_DEFAULT));
}

bool put_attribute(hid_t file, const std::string& path, const std::string& name, const Shape& shape,
                   const char* const* texts) {
  const Handle type = text_type();
  const Handle space = space_of(shape);
  const Handle id(H5Acreate_by_name(file, path.c_str(), name.c_str(), type.get(), space.get(),
                                    H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  return id.ok() && H5Awrite(id.get(), type.get(), texts) >= 0;
}

}  // namespace

Writer::Writer(const std::string& file) : pending_(file) {
  prepare_library();
  const Handle properties = object_properties(H5P_FILE_CREATE);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  // Makes closing fail, instead of being delayed, while a dataset is still open.
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_SEMI);
  handle_ = Handle(
      H5Fcreate(pending_.temporary().c_str(), H5F_ACC_TRUNC, properties.get(), access.get()));
  if (!handle_.ok()) fail(file, "", kRoom);
}

Writer::~Writer() = default;

void Writer::group(const std::string& path) {
  const Handle links = link_properties();
  const Handle properties = object_properties(H5P_GROUP_CREATE);
  const Handle id(
      H5Gcreate2(handle_.get(), path.c_str(), links.get(), properties.get(), H5P_DEFAULT));
  if (!id.ok()) fail(pending_.path(), path, kRoom);
}

template <typename T>
void Writer::dataset(const std::string& path, const Shape& shape, std::span<const T> values) {
  FIRM_CHECK(values.size() == element_count(shape));
  const Handle id = create_dataset(handle_.get(), path, native_type<T>(), shape);
  if (!id.ok() ||
      H5Dwrite(id.get(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(pending_.path(), path, kRoom);
  }
}

template void Writer::dataset(const std::string&, const Shape&, std::span<const float>);
template void Writer::dataset(const std::string&, const Shape&, std::span<const double>);
template void Writer::dataset(const std::string&, const Shape&, std::span<const std::int64_t>);
template void Writer::dataset(const std::string&, const Shape&, std::span<const std::uint16_t>);

void Writer::number(const std::string& path, double value, const std::string& units) {
  dataset(path, {}, std::span<const double>(&value, 1));
  attribute(path, "units", units);
}

void Writer::text(const std::string& path, const std::string& value) {
  put_texts(path, {}, {value});
}

void Writer::texts(const std::string& path, const std::vector<std::string>& values) {
  put_texts(path, {values.size()}, values);
}

void Writer::put_texts(const std::string& path, const Shape& shape,
                       const std::vector<std::string>& values) {
  const Handle type = text_type();
  const Handle id = create_dataset(handle_.get(), path, type.get(), shape);
  std::vector<const char*> raw;
  for (const std::string& value : values) raw.push_back(value.c_str());
  if (!id.ok() || H5Dwrite(id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0) {
    fail(pending_.path(), path, kRoom);
  }
}

Handle Writer::create(const std::string& path, const Shape& shape) {
  Handle id = create_dataset(handle_.get(), path, native_type<float>(), shape);
  if (!id.ok()) fail(pending_.path(), path, kRoom);
  return id;
}

void Writer::fill(const Handle& dataset, const std::string& path, const Slab& slab,
                  std::span<const float> values) {
  FIRM_CHECK(values.size() == element_count(slab.count));
  const Handle target = select(dataset.get(), slab);
  const Handle source = space_of(slab.count);
  if (H5Dwrite(dataset.get(), native_type<float>(), source.get(), target.get(), H5P_DEFAULT,
               values.data()) < 0) {
    fail(pending_.path(), path, kRoom);
  }
}

void Writer::attribute(const std::string& path, const std::string& name, const std::string& value) {
  const char* raw = value.c_str();
  if (!put_attribute(handle_.get(), path, name, {}, &raw)) {
    fail(pending_.path(), path + "@" + name, kRoom);
  }
}

void Writer::attribute(const std::string& path, const std::string& name,
                       const std::vector<std::string>& values) {
  std::vector<const char*> raw;
  for (const std::string& value : values) raw.push_back(value.c_str());
  if (!put_attribute(handle_.get(), path, name, {values.size()}, raw.data())) {
    fail(pending_.path(), path + "@" + name, kRoom);
  }
}

void Writer::attribute(const std::string& path, const std::string& name, double value) {
  const Handle space = space_of({});
  const Handle id(H5Acreate_by_name(handle_.get(), path.c_str(), name.c_str(), H5T_NATIVE_DOUBLE,
                                    space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!id.ok() || H5Awrite(id.get(), H5T_NATIVE_DOUBLE, &value) < 0) {
    fail(pending_.path(), path + "@" + name, kRoom);
  }
}

void Writer::commit() {
  // Writes the metadata, which may also fill the disk.
  if (H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL) < 0 || H5Fclose(handle_.release()) < 0) {
    fail(pending_.path(), "", kRoom);
  }
  pending_.commit();
}

}  // namespace firm::h5
