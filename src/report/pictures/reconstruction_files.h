// The image files of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/files/image_file.h"

namespace firm {

// Writes into the run's directory, which is created when needed:
//
//   images.h5                          all images, with the notes
//   recon/<site>_rec/recon_00000.tiff  one per slice, float32
//   recon/<site>_rec/recon_00000.png   the same as a picture; one range of colours per site
//
// A file is replaced only when its successor is complete; files of other names are left alone.
// The bytes depend on the arguments alone. Throws firm::Error when something cannot be written.
void write_reconstruction(const std::string& run_directory, const ImageGrid& grid,
                          const std::vector<ImageStack>& stacks, const ImageNotes& notes,
                          const Progress& progress = {});

// Memory that it takes for the slices that it works on at a time, besides the images themselves.
std::uint64_t memory_for_pictures(std::size_t pixels);

}  // namespace firm
