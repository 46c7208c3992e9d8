// Shared by the files that wrap the HDF5 library; nothing else includes it.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "io/hdf5/hdf5.h"

namespace firm::h5 {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// Stops the library from printing, and more; to be called before anything else is.
void prepare_library();

// The most specific thing the library has to say about its last failure.
std::string last_failure();

// Throws firm::Error with the library's own words as what was found.
[[noreturn]] void fail(const std::string& file, const std::string& path,
                       const std::string& expected);

template <typename T>
hid_t native_type();

// A variable-length UTF-8 text.
Handle text_type();

std::vector<hsize_t> extents(const Shape& shape);

// The space of an array in memory. It has to have as many dimensions as the box it is exchanged
// with: the library is twenty times slower when it has to match boxes of different rank.
Handle space_of(const Shape& shape);

// The part of a dataset's space that `slab` selects.
Handle select(hid_t dataset, const Slab& slab);

}  // namespace firm::h5
