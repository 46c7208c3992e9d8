// Measures a phantom that is drawn on a grid twice as fine as that of the reconstruction, along two
// rays per beamlet: no image on the grid of the reconstruction fits such data exactly.
#pragma once

#include <string>
#include <vector>

#include "core/progress.h"
#include "firm/block.h"
#include "firm/geometry.h"
#include "sim/defects.h"

namespace firm {

// Without noise. One entry per site; titles and the rest are those of the phantom.
struct FineMeasurement {
  std::vector<std::string> titles;
  std::vector<double> coefficients;
  bool other = false;
  double energy = 0;
  std::vector<Block> truth;  // pixels x slices: means of 2 x 2 fine pixels
  std::vector<Block> data;  // rays x slices: means of two rays, at the true angles, axis and shifts
};

// `files`: the geometry that the files state; the true one is that of `scan`.
FineMeasurement measure_finely(const std::string& preset, int slices, const Geometry& files,
                               const TrueScan& scan, int threads, const Progress& progress = {});

// Bytes of memory that it takes at its largest, result included.
double fine_measurement_bytes(int slices, const Geometry& files, double vertical_jitter);

}  // namespace firm
