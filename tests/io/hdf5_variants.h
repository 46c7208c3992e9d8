// Writes HDF5 files with features that other programs use: chunks, compression, texts of fixed
// length, the other byte order, virtual datasets.
#pragma once

#include <hdf5.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.h"

namespace firm {

class Hdf5Variant {
 public:
  explicit Hdf5Variant(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}

  struct Storage {
    hid_t type = H5T_IEEE_F32LE;
    h5::Shape chunk = {};  // empty: not chunked
    int gzip = 0;          // level
  };

  void numbers(const std::string& path, const h5::Shape& shape, const std::vector<double>& values,
               const Storage& storage) {
    const h5::Handle space(space_of(shape));
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE));
    if (!storage.chunk.empty()) {
      const std::vector<hsize_t> chunk(storage.chunk.begin(), storage.chunk.end());
      check(H5Pset_chunk(how.get(), static_cast<int>(chunk.size()), chunk.data()));
    }
    if (storage.gzip > 0) {
      check(H5Pset_shuffle(how.get()));
      check(H5Pset_deflate(how.get(), static_cast<unsigned>(storage.gzip)));
    }
    const h5::Handle dataset = create(path, storage.type, space, how);
    check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  }

  // A dataset in chunks of which none is written.
  void unwritten(const std::string& path, const h5::Shape& shape, const h5::Shape& chunk) {
    const h5::Handle space(space_of(shape));
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE));
    const std::vector<hsize_t> sizes(chunk.begin(), chunk.end());
    check(H5Pset_chunk(how.get(), static_cast<int>(sizes.size()), sizes.data()));
    create(path, H5T_IEEE_F32LE, space, how);
  }

  // A virtual dataset of `shape`: the frames of /data in each of `sources`, which all have equally
  // many, one after the other. Frames beyond them are 0.
  void made_of(const std::string& path, const h5::Shape& shape,
               const std::vector<std::string>& sources, std::size_t frames) {
    const h5::Handle space(space_of(shape));
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE));
    const h5::Handle source_space(space_of({frames, shape[1], shape[2]}));
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const std::vector<hsize_t> start = {k * frames, 0, 0};
      const std::vector<hsize_t> count = {frames, shape[1], shape[2]};
      check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr));
      check(
          H5Pset_virtual(how.get(), space.get(), sources[k].c_str(), "/data", source_space.get()));
    }
    check(H5Sselect_all(space.get()));
    create(path, H5T_IEEE_F32LE, space, how);
  }

  // A virtual dataset of `shape` whose frame k is that of the dataset names[k] of this file.
  void made_of_own(const std::string& path, const h5::Shape& shape,
                   const std::vector<std::string>& names) {
    const h5::Handle space(space_of(shape));
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE));
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::vector<hsize_t> start = {k, 0, 0};
      const std::vector<hsize_t> count = {1, shape[1], shape[2]};
      check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr));
      check(H5Pset_virtual(how.get(), space.get(), ".", names[k].c_str(), space.get()));
    }
    check(H5Sselect_all(space.get()));
    create(path, H5T_IEEE_F32LE, space, how);
  }

  // A virtual dataset of any number of datasets of this file, one after the other, each of `shape`
  // and named by a pattern: "d%b" means d0, d1, ...
  void made_of_pattern(const std::string& path, const h5::Shape& shape,
                       const std::string& pattern) {
    const std::vector<hsize_t> block(shape.begin(), shape.end());
    std::vector<hsize_t> most = block;
    most[0] = H5S_UNLIMITED;
    const h5::Handle space(
        H5Screate_simple(static_cast<int>(block.size()), block.data(), most.data()));
    const std::vector<hsize_t> start(block.size(), 0);
    std::vector<hsize_t> count(block.size(), 1);
    count[0] = H5S_UNLIMITED;
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), block.data(), count.data(),
                              block.data()));
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE));
    const h5::Handle source_space(space_of(shape));
    check(H5Pset_virtual(how.get(), space.get(), ".", pattern.c_str(), source_space.get()));
    create(path, H5T_IEEE_F32LE, space, how);
  }

  // A dataset whose values are in a file of their own, as they are.
  void stored_in(const std::string& path, const h5::Shape& shape, const std::string& file) {
    const h5::Handle space(space_of(shape));
    const h5::Handle how(H5Pcreate(H5P_DATASET_CREATE));
    check(H5Pset_external(how.get(), file.c_str(), 0, H5F_UNLIMITED));
    create(path, H5T_IEEE_F32LE, space, how);
  }

  void external_link(const std::string& path, const std::string& file, const std::string& object) {
    const h5::Handle groups(with_groups());
    check(H5Lcreate_external(file.c_str(), object.c_str(), file_.get(), path.c_str(), groups.get(),
                             H5P_DEFAULT));
  }
  void soft_link(const std::string& path, const std::string& target) {
    const h5::Handle groups(with_groups());
    check(H5Lcreate_soft(target.c_str(), file_.get(), path.c_str(), groups.get(), H5P_DEFAULT));
  }

  // An array of texts, or a scalar for a single one, of a fixed length larger than needed. Padded
  // as by Fortran (H5T_STR_SPACEPAD) or NumPy (H5T_STR_NULLPAD).
  void texts(const std::string& path, const std::vector<std::string>& values, H5T_str_t padding) {
    const h5::Handle space(space_of({values.size()}));
    const h5::Handle type(text_type(padding));
    const h5::Handle dataset =
        create(path, type.get(), space, h5::Handle(H5Pcreate(H5P_DATASET_CREATE)));
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   padded(values, padding).data()));
  }
  void attribute(const std::string& path, const std::string& name,
                 const std::vector<std::string>& values, H5T_str_t padding) {
    const h5::Handle space(values.size() == 1 ? H5Screate(H5S_SCALAR) : space_of({values.size()}));
    const h5::Handle type(text_type(padding));
    const h5::Handle attribute(H5Acreate_by_name(file_.get(), path.c_str(), name.c_str(),
                                                 type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT,
                                                 H5P_DEFAULT));
    check(H5Awrite(attribute.get(), type.get(), padded(values, padding).data()));
  }

 private:
  static constexpr std::size_t kLength = 12;

  static void check(herr_t status) {
    if (status < 0) throw std::runtime_error("HDF5");
  }
  static hid_t space_of(const h5::Shape& shape) {
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    return H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
  }
  static hid_t text_type(H5T_str_t padding) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    check(H5Tset_size(type, kLength));
    check(H5Tset_strpad(type, padding));
    return type;
  }
  static std::string padded(const std::vector<std::string>& values, H5T_str_t padding) {
    std::string bytes;
    for (std::string value : values) {
      value.resize(kLength, padding == H5T_STR_SPACEPAD ? ' ' : '\0');
      bytes += value;
    }
    return bytes;
  }
  // Creates the groups of a path.
  static hid_t with_groups() {
    const hid_t groups = H5Pcreate(H5P_LINK_CREATE);
    check(H5Pset_create_intermediate_group(groups, 1));
    return groups;
  }
  h5::Handle create(const std::string& path, hid_t type, const h5::Handle& space,
                    const h5::Handle& how) {
    const h5::Handle groups(with_groups());
    h5::Handle dataset(H5Dcreate2(file_.get(), path.c_str(), type, space.get(), groups.get(),
                                  how.get(), H5P_DEFAULT));
    if (!dataset.ok()) throw std::runtime_error("HDF5 cannot make " + path);
    return dataset;
  }

  h5::Handle file_;
};

}  // namespace firm
