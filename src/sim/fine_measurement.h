// Measures a phantom that is drawn on a grid twice as fine as that of the reconstruction: no image
// on the grid of the reconstruction fits such data exactly. A beamlet is the mean of eight rays.
//
// Rays that are parallel to an axis of the image see a shift only when they cross an edge of fine
// pixels. Eight rays do so at eight shifts within a beamlet: a projection at 0 or 90 degrees is up
// to 0.06 beamlets from its place. A power of two keeps rays off the edges where there are no
// shifts.
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
  double energy = 0;
  std::vector<Block> truth;  // pixels x slices: means of 2 x 2 fine pixels
  Block other = {};          // the same, of attenuation that XRF does not see; empty: none
  std::vector<Block>
      data;  // rays x slices: means of eight rays, at the true angles, axis and shifts
};

// `files`: the geometry that the files state; the true one is that of `scan`.
// With self-absorption, T is that of the fine grid.
struct FineSetup {
  std::string preset;
  int slices = 1;
  bool self_absorption = false;
  int threads = 0;
};
FineMeasurement measure_finely(const FineSetup& setup, const Geometry& files, const TrueScan& scan,
                               const Progress& progress = {});

// Bytes of memory that it takes at its largest, result included.
double fine_measurement_bytes(const FineSetup& setup, const Geometry& files,
                              double vertical_jitter);

}  // namespace firm
