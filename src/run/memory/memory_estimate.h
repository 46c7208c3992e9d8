// Memory and disk that a run needs, estimated conservatively before it starts.
//
// One estimator for every way to run a study: all sites in one process, some sites beside others
// (--separate, --mpi), one site of a federation. It counts the arrays that Problem, Solver,
// certificate and method (MethodRow::footprint) allocate; docs/performance.md compares it with
// measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "align/refine_choice.h"
#include "firm/options.h"
#include "firm/study.h"
#include "tomo/strip/strip_projector.h"

namespace firm {

struct MemoryEstimate {
  std::uint64_t fixed = 0;      // the program and its libraries, pictures
  std::uint64_t per_slice = 0;  // arrays of the solver
  std::uint64_t images = 1;     // of a slice
  // Projectors that exist at a time, and the scratch of one, for every geometry.
  std::uint64_t projectors = 0;
  std::vector<std::shared_ptr<const ProjectorScratch>> scratch = {};
  std::uint64_t absorption = 0;  // T of self-absorption of one slice, all angles
  // Most bytes that T may hold: with less, every product makes it again. 0: no limit.
  std::uint64_t most_absorption = 0;
  std::uint64_t ending = 0;    // while results are written, after the solver is freed
  std::uint64_t aligning = 0;  // before the solver is made

  // Returns the peak memory with this many slices in the solver.
  std::uint64_t bytes(std::size_t slices) const;
  // Bounds T so that one slice fits into `budget` bytes, if T is what makes it too large.
  void fit_absorption(std::uint64_t budget);
  // Returns the memory of one more shard in the same process: the peak without the parts that a
  // process has only once.
  std::uint64_t solver_bytes(std::size_t slices) const;
  // Returns the scratch of the projectors with this many slices.
  std::uint64_t projector_bytes(std::size_t slices) const;
};

// The sites of a study that one process hosts, and how it runs them.
struct Hosted {
  std::vector<std::size_t> sites = {};  // empty: all
  bool truth = false;                   // compares images with true ones
  bool fixed_point = false;             // exchanges sums with other shards
  bool keeps_data = false;              // keeps the prepared data for another attempt
  RefineChoice refine = {};             // refines scans before
};

// `study` has all slices; sites whose values may get weights have weighted_values. The geometry of
// an XRT site elsewhere may be unknown (no angles): it is then taken to be as large as the largest
// hosted one.
MemoryEstimate estimate_memory(const SolveOptions& options, const Study& study,
                               const Hosted& hosted = {});

// Returns the peak memory of the alignment of these sites (empty: all), on a few slices. 0 if
// nothing is refined.
std::uint64_t estimate_alignment_memory(const RefineChoice& refine, const Study& study,
                                        const std::vector<std::size_t>& sites = {});

// One process of `--separate` or `--mpi`: reads all slices of a site to keep some of them, solves
// its shards side by side and, as the first process, merges the images of all.
struct SideBySide {
  struct Part {
    std::size_t site = 0;
    std::size_t slices = 0;
  };
  std::vector<Part> parts;
  bool first = false;
};
std::uint64_t estimate_memory(const SolveOptions& options, const Study& study,
                              const SideBySide& process);

// Disk for the results and checkpoints of one site of a federation.
std::uint64_t estimate_disk(const SolveOptions& options, const Study& study, std::size_t site);

// Estimates `firm calibrate`, which has all slices in memory at once.
std::uint64_t estimate_calibration_memory(const Study& study);

}  // namespace firm
