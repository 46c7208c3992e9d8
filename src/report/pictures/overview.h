// Writes a picture of the reconstruction of all sites, beside the truth if it is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/files/image_file.h"

namespace firm {

// Draws one column per site. With `truth`, which must have the same sites in the same order, the
// rows are truth, reconstruction and their difference; the first two share the range of the truth,
// and in the last one zero is white. If `truth` is empty, there is only the reconstruction. A line
// below the title names the slice if there are several. Throws firm::Error if the file cannot be
// written.
void write_overview(const std::string& path, const std::string& title, const ImageGrid& grid,
                    const std::vector<ImageStack>& images, const std::vector<ImageStack>& truth,
                    std::size_t slice);

}  // namespace firm
