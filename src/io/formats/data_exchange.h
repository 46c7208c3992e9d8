// Data Exchange: one site's sinogram in the HDF5 layout of the Advanced Photon Source.
//
//   /exchange/data         (theta, y, x), or (y, theta, x) where its `axes` attribute says so
//   /exchange/data_white   (n, y, x)   flat fields, optional
//   /exchange/data_dark    (n, y, x)   dark fields, optional
//   /exchange/theta        degrees, in any order; if missing,
//                          /process/acquisition/rotation/{rotation_start,rotation_step,num_angles}
//
// y is the slice, x the beamlet. docs/formats.md describes the whole layout.
#pragma once

#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

// One site's measurement in memory.
struct Acquisition {
  std::string title;
  std::string units;  // of `data`: "g/cm^2", "1" after the logarithm, or "counts"
  std::string note;   // origin of the data, one line

  std::vector<double> theta;  // degrees
  int beamlets = 0;
  double spacing = 0;        // cm, between beamlets; 0: unknown
  double rotation_axis = 0;  // beamlets, edge coordinates; default: the middle

  // Columns are slices; rows are angle * beamlets + beamlet, or frame * beamlets + beamlet.
  Block data;
  Block white;  // no rows: none
  Block dark;
};

void write_acquisition(const std::string& path, const Acquisition& acquisition);
// Reads a file of any format.
Acquisition read_acquisition(const std::string& path);

}  // namespace firm
