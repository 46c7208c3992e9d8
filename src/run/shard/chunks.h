// Chunks: the slices of a study cut into parts that are solved one after another, each as a study
// of its own, so that memory holds one of them at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/slice_range.h"
#include "model/study.h"
#include "run/memory/run_needs.h"
#include "solve/options.h"

namespace firm {

// `chunks` of them, whose sizes differ by one slice at most; no more than there are slices.
std::vector<SliceRange> cut_slices(std::size_t slices, std::size_t chunks);

// What there is to decide about: memory that the caller allows (none: all that is available), and
// what the machine has.
struct MemoryLimits {
  std::optional<std::uint64_t> allowed;
  std::uint64_t available = 0;
};

struct ChunkPlan {
  std::vector<SliceRange> chunks;
  std::uint64_t needed = 0;  // memory for the largest
};

// The fewest chunks that need no more than what is allowed, and no fewer than `chunks`; `fixed`: as
// many as that, because the run already has them. Throws firm::Error that names what is needed and
// what there is.
ChunkPlan plan_chunks(const RunNeeds& needs, std::size_t slices, const SolveOptions& options,
                      bool fixed, const MemoryLimits& limits);

// Throws firm::Error (kUsage) when the options ask for more; `where` does all slices at once.
void require_one_chunk(const SolveOptions& options, const std::string& where);

}  // namespace firm
