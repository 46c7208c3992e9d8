// ScanFile: a measurement in a file or a folder of files. FIRM recognises the format by content
// (Data Exchange, XRFtomo, NXtomo, NeXus grids, XRF-Maps, PyXRF, TIFF, .npy); docs/formats.md
// describes the formats.
//
// The constructor reads headers, names and angles. values() reads the values as stored in the file:
// no normalization, no logarithm, no scale.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// Selects an element, and supplies what the file does not say.
struct ScanChoice {
  std::string element = {};     // "Fe"; empty: the only one, or the first
  std::string angles = {};      // text file, one angle (degrees) per line; empty: in the data file
  std::string axes = {};        // for TIFF and .npy: "y:theta:x"; empty: "theta:y:x"
  std::string angle_unit = {};  // "deg" or "rad"; empty: as the file says, else degrees
};

class ScanFile {
 public:
  // Throws firm::Error if the format is unknown, or the file is damaged or incomplete.
  explicit ScanFile(const std::string& path, const ScanChoice& choice = {});
  ~ScanFile();
  ScanFile(ScanFile&&) noexcept;
  ScanFile& operator=(ScanFile&&) noexcept;

  const std::string& format() const;                 // "Data Exchange (HDF5)"
  const std::vector<std::string>& elements() const;  // empty: the file does not name elements
  const std::string& element() const;                // the element that values() reads
  const std::string& units() const;                  // empty: the file does not say
  const std::vector<double>& angles() const;         // degrees, one for each projection
  std::size_t slices() const;
  std::size_t beamlets() const;
  std::optional<double> spacing() const;        // cm between beamlets
  std::optional<double> rotation_axis() const;  // beamlets, edge coordinates

  // Reads a range of slices: (angles x beamlets) x slices, as in SiteData::values. Throws
  // firm::Error if that part of the file is damaged.
  Block values(std::size_t first_slice, std::size_t slices) const;
  Block values() const { return values(0, slices()); }
  // Reads the frames without the object, and without the beam: (frames x beamlets) x slices. Empty:
  // the file has none.
  Block flat() const;
  Block dark() const;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace firm
