// Memory of a run that hosts all sites, as `firm recon` does, before it is made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/study.h"
#include "solve/options.h"

namespace firm {

struct RunNeeds {
  std::uint64_t fixed = 0;
  std::uint64_t per_slice = 0;
  // Scratch of the projectors, for the columns that they work on at a time: of so many images.
  std::uint64_t per_column = 0;
  std::uint64_t images = 1;
  std::uint64_t ending = 0;  // when the images are written, and the solver is gone

  // With so many slices in memory at a time.
  std::uint64_t bytes(std::size_t slices) const;
};

// An upper bound, counted from the arrays that there are and checked by measurement
// (docs/performance.md). `truth`: whether images are compared with true ones.
// Sites whose values may turn out to have weights have weighted_values.
RunNeeds run_needs(const SolveOptions& options, const Study& study, bool truth);

}  // namespace firm
