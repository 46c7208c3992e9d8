// TiffReader: reads pages of a TIFF as numbers, one per pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/files/number_type.h"

namespace firm {

struct TiffPage {
  std::size_t rows = 0;
  std::size_t columns = 0;
  NumberType type;
  std::size_t rows_together = 1;  // of one strip or tile
  std::uint64_t offset = 0;       // of its directory in the file
};

// Reads strips and tiles, compressed or not, of either byte order. Not thread-safe.
class TiffReader {
 public:
  // Throws firm::Error when the file is no TIFF, or damaged.
  explicit TiffReader(const std::string& path);
  ~TiffReader();

  // Throws firm::Error unless each pixel of each page is one integer, or one float of 4 or 8 bytes.
  std::vector<TiffPage> pages();
  // Reads the rows `first` .. `first + count - 1` of a page into `out`.
  void read_rows(const TiffPage& page, std::size_t first, std::size_t count, float* out);

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace firm
