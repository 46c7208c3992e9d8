// Simulates a study: known images, noisy sinograms of its sites, and their files.
//
// A *twin* has what a real scan has: an object that is finer than the pixels, and defects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "firm/block.h"
#include "firm/geometry.h"
#include "sim/defects.h"

namespace firm {

struct SimulateOptions {
  std::string preset = "paper";  // one of phantom_names()
  int size = 250;                // pixels along a side of the image
  int angles = 25;               // over 180 degrees (360: self-absorption), end not included
  int slices = 1;
  double noise = 0;          // s: standard deviation relative to the largest value of a slice
  std::uint64_t seed = 1;    // of the noise
  double pixel_size = 1e-4;  // cm
  double counts = 0;         // photons per beamlet of the XRT beam; 0: XRT data is logarithms
  double xrf_counts = 0;     // largest expected XRF count of all elements; 0: XRF data is g/cm^2
  Defects defects = {};
  // XRF is absorbed on its way through the object. Elements become real substances at 12 keV, and
  // angles go around the object.
  bool self_absorption = false;
  int threads = 0;  // 0: all; the result does not depend on it

  bool twin() const {
    return preset == "rod" || defects.any() || xrf_counts > 0 || self_absorption;
  }
  // Whether all elements are in one file, as fluorescence detectors write them.
  bool one_xrf_file() const { return defects.crosstalk != 0 || xrf_counts > 0; }

  // Throws firm::Error that names the option, what was expected and what was found.
  void validate() const;
};

// Pixel size, in cm, that suits a preset: the rod's wires let about a tenth of the beam through.
// With self-absorption, elements of any preset let about half of their fluorescence out.
double default_pixel_size(const std::string& preset, int size, bool self_absorption = false);

// Geometry of all sites, as their files state it.
Geometry simulated_geometry(const SimulateOptions& options);

struct SimulatedSite {
  std::string name;        // "xrf-1", ..., "xrt"
  std::string title;       // "XRF-1", "Fe"
  double coefficient = 0;  // cm^2/g; 0 for XRT
  Block truth;             // pixels x slices, g/cm^3 or 1/cm
  Block data;              // rays x slices: A truth with noise, or counts
  double largest = 0;      // of A truth, before noise and, for counts, after `scale`
  Block white;             // with counts only
  Block dark;
  double scale = 1;       // XRF: g/cm^2 of one count; 1 for data in g/cm^2
  double crosstalk = 0;   // XRF: share of the second element's values that was added
  double lag = 0;         // XRT: beamlets
  std::string line = {};  // XRF with self-absorption: the one that is measured

  bool is_xrt() const { return name == "xrt"; }
};

struct Simulation {
  SimulateOptions options;
  Geometry geometry;  // of all sites, as the files state it
  std::vector<SimulatedSite> sites;
  Block other = {};         // true attenuation of matter that XRF does not see, 1/cm; empty: none
  double energy = 0;        // keV; 0: coefficients are part of the study
  TrueScan scan = {};       // of a twin
  std::string matrix = {};  // with self-absorption: substance of `other`
};

Simulation simulate(const SimulateOptions& options, const Progress& progress = {});

// Writes truth.h5, one data file per site (or one for all XRF sites), and last study.toml into a
// directory, which it creates if needed. Replaces existing files when the new ones are complete.
// Returns the paths.
std::vector<std::string> write_simulation(const Simulation& simulation,
                                          const std::string& directory,
                                          const Progress& progress = {});

}  // namespace firm
