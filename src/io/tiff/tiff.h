// One image as a float32 TIFF, which ImageJ and TomoPy's readers open.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace firm {

// `values` row by row from the top; `description` becomes the ImageDescription, and the size of a
// pixel the resolution. The same arguments give the same bytes: no date is stored. Throws
// firm::Error when the file cannot be written, and then leaves what was there before.
void write_tiff(const std::string& path, std::size_t rows, std::size_t columns,
                std::span<const float> values, const std::string& description,
                double pixel_size_cm);

}  // namespace firm
