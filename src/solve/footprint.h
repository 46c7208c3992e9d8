// Footprint: the arrays that a run of a method holds, counted in images and sinograms.
//
// Each method counts its arrays next to its constructor and its archive(); src/run/memory converts
// the counts to bytes.
#pragma once

#include <cstdint>

#include "firm/options.h"

namespace firm {

// The part of a study that one process hosts, in counts. Rays are those of one slice.
struct HostedSize {
  std::uint64_t images = 0;       // hosted variables, `other` included
  std::uint64_t members = 0;      // images that firm-ds solves for: all but XRT's
  std::uint64_t slots = 0;        // variables of the whole study
  std::uint64_t rays = 0;         // of all hosted sites together
  std::uint64_t member_rays = 0;  // of the hosted XRF sites together
  std::uint64_t xrt_rays = 0;     // of XRT, hosted or not
  std::uint64_t own_groups = 0;   // distinct matrices of the hosted XRF sites
  bool common = true;             // all sites of the study have the same rays
  bool gathered = false;          // columns are copied by matrix: several matrices, or `other`
  bool weighted = false;          // a hosted site may have weights
};

struct Footprint {
  std::uint64_t images = 0;      // images of one slice
  std::uint64_t rays = 0;        // values of sinograms of one slice
  std::uint64_t projectors = 0;  // each with scratch for the columns it works on at a time

  Footprint& operator+=(const Footprint& more) {
    images += more.images;
    rays += more.rays;
    projectors += more.projectors;
    return *this;
  }
};

// Arrays that a method holds in addition to Problem and Solver, and the part that a checkpoint
// keeps.
struct MethodFootprint {
  Footprint held;
  Footprint state;
  // Size of one sum: the share of a process.
  Footprint share;
};

}  // namespace firm
