// Internal to the files that wrap the TIFF library.
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <memory>
#include <string>

namespace firm::tiff {

struct Close {
  void operator()(TIFF* file) const { TIFFClose(file); }
};
using Handle = std::unique_ptr<TIFF, Close>;

// Opens a file. The library prints nothing: its first error goes to `complaint`, which must live as
// long as the file is open. Set errno to 0 before calls: its value after a failure becomes part of
// the complaint. `most_bytes` limits each memory allocation of the library; 0: no limit.
Handle open(const std::string& path, const char* mode, std::string& complaint,
            std::uintmax_t most_bytes = 0);

}  // namespace firm::tiff
