// Objects of several kinds and their measurements, simulated on a grid twice as fine as that of the
// reconstruction, with four rays per beamlet: data that no image on the coarse grid fits exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/study.h"

namespace firm {

// "discs": piecewise constant; "smooth": no edges at all; "wires": small and sparse; "grains":
// cells with random amounts of each element; "body": the phantom of `firm simulate --preset
// elements`; "shell": a hollow shell with inclusions of the other elements in its wall and inside;
// "gradient": wide blobs on a slope, all over each other; "strong": one element that makes up
// nearly all of XRT, and two traces.
const std::vector<std::string>& object_kinds();

// Objects to judge a prior by: those above, and "paper", "shapes" and "gradients" (the phantoms of
// `firm simulate` with --preset paper, shapes and smooth).
const std::vector<std::string>& prior_object_kinds();

struct MeasuredObject {
  Study study;  // three XRF sites and XRT, with their data and known sigma
  Block truth;  // pixels x sites, on the coarse grid
};

struct ObjectOptions {
  std::string kind = "discs";
  int size = 64;          // pixels along a side
  int angles = 30;        // over half a turn
  double noise = 0.02;    // sigma of a site, relative to its largest value
  double xrt_noise = 1;   // that of XRT, relative to the others
  double weak_noise = 1;  // that of the second and third XRF site, relative to the first
  bool estimate = false;  // sigma is estimated from the values, not given
  std::uint64_t seed = 1;
};

MeasuredObject measure_object(const ObjectOptions& options);

// ||w - truth|| / ||truth|| of each site.
std::vector<double> relative_errors(const Block& images, const Block& truth);

}  // namespace firm
