// Readers of monitors (I0), in the data file or in a separate file.
#pragma once

#include <memory>
#include <string>

#include "io/formats/frames.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"

namespace firm {

// Opens the dataset `path`, with a value for each point, row or frame of `scan.data`: its shape is
// (frame, y, x), (frame, y), (frame), or (frame, x) if there is one slice. Its frames are those of
// `scan.data`, or all frames of the file.
std::unique_ptr<Frames> monitor_dataset(const h5::Reader& reader, const std::string& path,
                                        const Scan& scan);

// Opens a file with one number per frame (number_file.h), or a .npy with two or three of these
// axes.
std::unique_ptr<Frames> monitor_file(const std::string& path, const Scan& scan);

}  // namespace firm
