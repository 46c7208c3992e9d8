// Shared by the files that wrap the TIFF library; nothing else includes it.
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

// Without printing: the first thing that the library complains about is put into `complaint`, which
// has to live as long as the file is open. Set errno to 0 before calls: what it is after a failure
// becomes part of the complaint. With `most_bytes` the library takes no more memory at once.
Handle open(const std::string& path, const char* mode, std::string& complaint,
            std::uintmax_t most_bytes = 0);

}  // namespace firm::tiff
