// Implements version_text() of include/firm/tools.h.
#include "firm/version.h"

#include <cairo.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <openssl/crypto.h>
#include <tiffio.h>
#include <xraylib.h>

#include <sstream>

#include "firm/projector.h"
#include "firm/tools.h"

namespace firm {

std::string version_text() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  std::string tiff;
  std::istringstream(TIFFGetVersion()) >> tiff >> tiff >> tiff;  // "LIBTIFF, Version 4.5.0\n..."
  return fmt::format(
      "firm {}\nkernel     {}\nlibraries  HDF5 {}.{}.{}, TIFF {}, cairo {}, OpenSSL {}, "
      "xraylib {}.{}.{}, fmt {}.{}.{}",
      kVersion, kernel_names().front(), major, minor, release, tiff, cairo_version_string(),
      OpenSSL_version(OPENSSL_VERSION_STRING), XRAYLIB_MAJOR, XRAYLIB_MINOR, XRAYLIB_MICRO,
      FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace firm
