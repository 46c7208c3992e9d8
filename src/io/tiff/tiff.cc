#include "io/tiff/tiff.h"

#include <cerrno>
#include <vector>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "io/tiff/tiff_detail.h"

namespace firm {
namespace {

bool set_tags(TIFF* file, std::size_t rows, std::size_t columns, const std::string& description,
              double pixel_size_cm) {
  const double pixels_per_cm = 1 / pixel_size_cm;
  return TIFFSetField(file, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(columns)) == 1 &&
         TIFFSetField(file, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows)) == 1 &&
         TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1) == 1 &&
         TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 32) == 1 &&
         TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP) == 1 &&
         TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) == 1 &&
         TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == 1 &&
         TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_NONE) == 1 &&
         // One strip: one large write instead of many small ones.
         TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows)) == 1 &&
         TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER) == 1 &&
         TIFFSetField(file, TIFFTAG_XRESOLUTION, pixels_per_cm) == 1 &&
         TIFFSetField(file, TIFFTAG_YRESOLUTION, pixels_per_cm) == 1 &&
         TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, description.c_str()) == 1;
}

// Writes from a copy: on a big-endian machine the library swaps bytes in place.
bool write_pixels(TIFF* file, std::span<const float> values) {
  std::vector<float> copy(values.begin(), values.end());
  const auto bytes = static_cast<tmsize_t>(copy.size() * sizeof(float));
  return TIFFWriteEncodedStrip(file, 0, copy.data(), bytes) == bytes;
}

}  // namespace

void write_tiff(const std::string& path, std::size_t rows, std::size_t columns,
                std::span<const float> values, const std::string& description,
                double pixel_size_cm) {
  FIRM_CHECK(rows > 0 && columns > 0 && values.size() == rows * columns);
  FIRM_CHECK(pixel_size_cm > 0);
  PendingFile pending(path);
  std::string complaint;
  errno = 0;
  // Little-endian on every machine.
  tiff::Handle file = tiff::open(pending.temporary(), "wl", complaint);
  const bool written = file && set_tags(file.get(), rows, columns, description, pixel_size_cm) &&
                       write_pixels(file.get(), values) && TIFFWriteDirectory(file.get()) == 1;
  // A failure to close shows only as a complaint.
  file.reset();
  if (!written || !complaint.empty()) {
    if (complaint.empty()) complaint = "a failure of the TIFF library";
    throw data_error({path, "", "a file that can be written", complaint});
  }
  pending.commit();
}

}  // namespace firm
