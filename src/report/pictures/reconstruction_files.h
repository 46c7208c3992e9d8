// Writes the image files of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/files/image_file.h"

namespace firm {

// Writes into the run directory, which is created if needed:
//
//   images.h5                          all images, with the notes
//   recon/<site>_rec/recon_00000.tiff  one per slice, float32
//   recon/<site>_rec/recon_00000.png   the same as a picture; one colour range per site
//
// Replaces a file only when the new one is complete, and leaves files of other names alone. The
// bytes depend only on the arguments. Throws firm::Error if a file cannot be written.
void write_reconstruction(const std::string& run_directory, const ImageGrid& grid,
                          const std::vector<ImageStack>& stacks, const ImageNotes& notes,
                          const Progress& progress = {});

// Memory that write_reconstruction needs in addition to the images, in bytes.
std::uint64_t memory_for_pictures(std::size_t pixels);

}  // namespace firm
