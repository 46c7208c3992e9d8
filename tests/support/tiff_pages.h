// Writes TIFF files of every kind.
#pragma once

#include <tiffio.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/scan_files.h"

namespace firm {

struct TiffKind {
  const char* mode = "w";  // "wb": big endian, "w8": BigTIFF
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t compression = COMPRESSION_NONE;
  std::uint16_t samples = 1;
  std::uint32_t rows_per_strip = 0;  // 0: one strip
  bool tiles = false;                // of 16 x 16 pixels
};

template <typename T>
class TiffWriter {
 public:
  TiffWriter(const std::string& path, const TiffKind& kind)
      : kind_(kind), file_(TIFFOpen(path.c_str(), kind.mode)) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
  }
  ~TiffWriter() { TIFFClose(file_); }
  TiffWriter(const TiffWriter&) = delete;
  TiffWriter& operator=(const TiffWriter&) = delete;

  void page(std::size_t rows, std::size_t columns, const std::vector<T>& values) {
    TIFFSetField(file_, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(columns));
    TIFFSetField(file_, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows));
    TIFFSetField(file_, TIFFTAG_SAMPLESPERPIXEL, kind_.samples);
    TIFFSetField(file_, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeof(T)));
    TIFFSetField(file_, TIFFTAG_SAMPLEFORMAT, kind_.format);
    TIFFSetField(file_, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(file_, TIFFTAG_PHOTOMETRIC,
                 kind_.samples == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(file_, TIFFTAG_COMPRESSION, kind_.compression);
    if (kind_.tiles) {
      write_tiles(rows, columns, values);
    } else {
      write_rows(rows, columns, values);
    }
    TIFFWriteDirectory(file_);
  }

 private:
  void write_rows(std::size_t rows, std::size_t columns, std::vector<T> values) {
    TIFFSetField(
        file_, TIFFTAG_ROWSPERSTRIP,
        kind_.rows_per_strip == 0 ? static_cast<std::uint32_t>(rows) : kind_.rows_per_strip);
    for (std::size_t y = 0; y < rows; ++y) {
      T* row = values.data() + y * columns * kind_.samples;
      TIFFWriteScanline(file_, row, static_cast<std::uint32_t>(y), 0);
    }
  }
  void write_tiles(std::size_t rows, std::size_t columns, const std::vector<T>& values) {
    constexpr std::size_t kSide = 16;
    TIFFSetField(file_, TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(kSide));
    TIFFSetField(file_, TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(kSide));
    for (std::size_t y = 0; y < rows; y += kSide) {
      for (std::size_t x = 0; x < columns; x += kSide) {
        std::vector<T> tile(kSide * kSide);
        for (std::size_t r = y; r < std::min(rows, y + kSide); ++r) {
          for (std::size_t c = x; c < std::min(columns, x + kSide); ++c) {
            tile[(r - y) * kSide + c - x] = values[r * columns + c];
          }
        }
        TIFFWriteTile(file_, tile.data(), static_cast<std::uint32_t>(x),
                      static_cast<std::uint32_t>(y), 0, 0);
      }
    }
  }

  TiffKind kind_;
  TIFF* file_;
};

// One frame of the scan of scan_files.h.
template <typename T>
std::vector<T> counted_frame(std::size_t angle) {
  std::vector<T> values;
  for (std::size_t y = 0; y < kSlices; ++y) {
    for (std::size_t x = 0; x < kBeamlets; ++x) {
      values.push_back(static_cast<T>(counted(angle, y, x)));
    }
  }
  return values;
}

template <typename T>
void write_counted_pages(const std::string& path, const TiffKind& kind) {
  TiffWriter<T> writer(path, kind);
  for (std::size_t a = 0; a < kAngles; ++a) writer.page(kSlices, kBeamlets, counted_frame<T>(a));
}

}  // namespace firm
