// Monitors: I0, beside the data or in a file of its own.
#pragma once

#include <memory>
#include <string>

#include "io/formats/frames.h"
#include "io/hdf5/hdf5.h"
#include "io/formats/scan.h"

namespace firm {

// The dataset `path`, with one value for each of `data`, or for each row or frame of it: of the
// shape (frame, y, x), (frame, y) or (frame), or (frame, x) where there is one slice. Frames are
// those of `scan.data`, or all that the file has.
std::unique_ptr<Frames> monitor_dataset(const h5::Reader& reader, const std::string& path,
                                        const Scan& scan);

// A file with one number for each frame (number_file.h), or a .npy of two or three of these axes.
std::unique_ptr<Frames> monitor_file(const std::string& path, const Scan& scan);

}  // namespace firm
