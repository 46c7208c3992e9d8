// A scan with jitter and drift, simulated on a grid twice as fine as that of the reconstruction,
// with two rays per beamlet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firm/study.h"

namespace firm {

struct ShakenOptions {
  std::string preset = "paper";  // "paper" or "shapes"
  int size = 96;                 // pixels along a side
  int angles = 36;
  double span = 180;              // degrees
  double noise = 0.01;            // of each site, relative to its largest value
  std::vector<double> weak = {};  // noise of single sites instead; empty: none
  double jitter = 5;              // beamlets
  double drift = 3;               // beamlets from the first angle to the last
  double axis_offset = 0;         // beamlets
  double angle_scale = 1;         // true angles over those of the study
  double lag = 0;                 // of XRT, beamlets
  bool shuffled = false;          // angles in random order
  bool gap = false;               // a sixth of the angles is missing in the middle
  bool repeated = false;          // the last angle is the first once more
  int cut = 0;                    // beamlets that the detector is narrower, on each side
  std::uint64_t seed = 1;
};

struct ShakenScan {
  Study study;                 // of one scan, with the data, at an axis in the middle
  std::vector<double> shifts;  // the true ones, without position and mean
  double axis = 0;             // the true one
  std::vector<Block> truth;    // pixels x 1 of each site, on the grid of the study
};

ShakenScan shake(const ShakenOptions& options);

// Root mean square of found - true shifts, without what a move of object or axis explains.
double rms_error(const ShakenScan& scan, std::vector<double> found);

}  // namespace firm
