// The reconstruction of all sites at a glance, next to the truth where it is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/files/image_file.h"

namespace firm {

// One column per site. With `truth`, which has the same sites in the same order, the rows are
// truth, reconstruction and their difference: the first two with the colours of the truth's range,
// the last with white for zero. Without (empty), there is only the reconstruction. Throws
// firm::Error when the file cannot be written.
void write_overview(const std::string& path, const std::string& title, const ImageGrid& grid,
                    const std::vector<ImageStack>& images, const std::vector<ImageStack>& truth,
                    std::size_t slice);

}  // namespace firm
