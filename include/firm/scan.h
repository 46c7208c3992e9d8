// ScanFile: a measurement in a file, or a folder of files, of any format that FIRM reads (Data
// Exchange, XRFtomo, NXtomo, NeXus grids, XRF-Maps, PyXRF, TIFF, .npy). The format is found by
// content; docs/formats.md lists them.
//
// Opening reads headers, names and angles. Values are read by values(), as they are in the file:
// no normalization, no logarithm, no scale.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// What to read from a file that has several elements, and what a file does not say.
struct ScanChoice {
  std::string element = {};  // "Fe"; empty: the only one, or the first
  std::string angles = {};  // text file with one angle in degrees per line; empty: in the data file
  std::string axes = {};    // of TIFF and .npy: "y:theta:x"; empty: "theta:y:x"
};

class ScanFile {
 public:
  // Throws firm::Error when the file has no known format, is damaged or incomplete.
  explicit ScanFile(const std::string& path, const ScanChoice& choice = {});
  ~ScanFile();
  ScanFile(ScanFile&&) noexcept;
  ScanFile& operator=(ScanFile&&) noexcept;

  const std::string& format() const;                 // "Data Exchange (HDF5)"
  const std::vector<std::string>& elements() const;  // empty: the file has no choice
  const std::string& element() const;                // the one that values() reads
  const std::string& units() const;                  // empty: the file does not say
  const std::vector<double>& angles() const;         // degrees, one for each projection
  std::size_t slices() const;
  std::size_t beamlets() const;
  std::optional<double> spacing() const;        // cm between beamlets
  std::optional<double> rotation_axis() const;  // beamlets, edge coordinates

  // (angles x beamlets) x slices, as SiteData::values has them. Throws firm::Error when the file is
  // damaged there.
  Block values(std::size_t first_slice, std::size_t slices) const;
  Block values() const { return values(0, slices()); }

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace firm
