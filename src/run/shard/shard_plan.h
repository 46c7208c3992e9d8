// ShardPlan: the shards of a run, and which process solves them in which stage.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firm/options.h"
#include "run/memory/memory_estimate.h"
#include "run/shard/shard.h"

namespace firm {

// Shards that are solved at the same time: process r solves of_process[r].
struct Stage {
  std::vector<std::vector<Shard>> of_process;
};

struct ShardPlan {
  std::vector<Stage> stages;          // solved one after another
  std::uint64_t needed = 0;           // memory of this process, for the largest stage
  std::uint64_t most_absorption = 0;  // bytes that T of self-absorption may hold; 0: no limit
};

// Cuts slices into `count` ranges whose sizes differ by one at most; into fewer if there are fewer
// slices.
std::vector<SliceRange> cut_slices(std::size_t slices, std::size_t count);

struct MemoryLimits {
  std::optional<std::uint64_t> allowed;  // by --max-memory; default: all that is available
  std::uint64_t available = 0;
};

// Throws firm::Error if the alignment, which cannot be cut into chunks, does not fit.
void require_memory_to_align(std::uint64_t needed, const MemoryLimits& limits);

// Plans all sites in this process: the fewest stages that fit into the allowed memory, but at least
// options.chunks. `fixed`: exactly options.chunks, because a resumed run keeps its number. Throws
// firm::Error that names the memory needed and found.
ShardPlan plan_in_turn(const MemoryEstimate& estimate, const Study& study,
                       const SolveOptions& options, bool fixed, const MemoryLimits& limits);

// Plans one stage of shards of one site each. With at most as many processes as sites, the sites
// are distributed over the processes. More processes must be a multiple of the number of sites; the
// multiple is the number of groups of slices. Throws firm::Error (kUsage) for other numbers.
ShardPlan plan_side_by_side(std::size_t sites, std::size_t slices, std::size_t processes);

// Throws firm::Error (kUsage) if the options ask for several chunks; `where` names a command that
// solves all slices at once.
void require_one_chunk(const SolveOptions& options, const std::string& where);

}  // namespace firm
