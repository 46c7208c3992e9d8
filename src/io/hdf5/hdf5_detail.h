// Internal to the files that wrap the HDF5 library.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "io/hdf5/hdf5.h"

namespace firm::h5 {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// Stops the library from printing and from cleaning up at exit. Call it before anything else.
void prepare_library();

// The most specific message of the library about its last failure.
std::string last_failure();

// Throws firm::Error with last_failure() as what was found.
[[noreturn]] void fail(const std::string& file, const std::string& path,
                       const std::string& expected);

template <typename T>
hid_t native_type();

// A variable-length UTF-8 text.
Handle text_type();

std::vector<hsize_t> extents(const Shape& shape);

// The space of an array in memory. Give it as many dimensions as the box in the file: the library
// is twenty times slower when the ranks differ.
Handle space_of(const Shape& shape);

// The part of a dataset's space that `slab` selects.
Handle select(hid_t dataset, const Slab& slab);

}  // namespace firm::h5
