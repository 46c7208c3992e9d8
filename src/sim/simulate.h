// Simulates a study: known images, noisy sinograms of four sites, and their files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

struct SimulateOptions {
  std::string preset = "paper";  // "paper", "elements", "shapes" or "smooth"
  int size = 250;                // pixels along a side of the image
  int angles = 25;               // over 180 degrees, end not included
  int slices = 1;
  double noise = 0;          // s: standard deviation relative to the largest value of a slice
  std::uint64_t seed = 1;    // of the noise
  double pixel_size = 1e-4;  // cm
  double counts = 0;         // photons per beamlet of the XRT beam; 0: XRT data is logarithms
  int threads = 0;           // 0: all; the result does not depend on it

  // Throws firm::Error that names the option, what was expected and what was found.
  void validate() const;
};

struct SimulatedSite {
  std::string name;        // "xrf-1", ..., "xrt"
  std::string title;       // "XRF-1", "Fe"
  double coefficient = 0;  // cm^2/g; 0 for XRT
  Block truth;             // pixels x slices, g/cm^3 or 1/cm
  Block data;              // rays x slices: A truth with noise, or counts
  double largest = 0;      // of A truth, before noise
  Block white;             // with counts only
  Block dark;

  bool is_xrt() const { return name == "xrt"; }
};

struct Simulation {
  SimulateOptions options;
  Geometry geometry;  // of all sites
  std::vector<SimulatedSite> sites;
};

Simulation simulate(const SimulateOptions& options, const Progress& progress = {});

// Writes truth.h5, one data file per site, and last study.toml into a directory, which it creates
// if needed. Replaces existing files when the new ones are complete. Returns the paths.
std::vector<std::string> write_simulation(const Simulation& simulation,
                                          const std::string& directory,
                                          const Progress& progress = {});

}  // namespace firm
