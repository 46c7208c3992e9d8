// Describes an HDF5 file of unknown format for an error message.
#pragma once

#include <string>

#include "io/hdf5/hdf5.h"

namespace firm {

// "no such dataset; this looks like a NeXus file; it has 12 datasets, the largest are:" and a list.
std::string describe_unknown_format(const h5::Reader& reader);

}  // namespace firm
