// Writes an image as a float32 TIFF that ImageJ and TomoPy open.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace firm {

// `values`: row by row from the top. `description` becomes the ImageDescription, the size of a
// pixel the resolution. Equal arguments give equal bytes: no date is stored. Throws firm::Error
// when the file cannot be written, and leaves an existing file unchanged then.
void write_tiff(const std::string& path, std::size_t rows, std::size_t columns,
                std::span<const float> values, const std::string& description,
                double pixel_size_cm);

}  // namespace firm
