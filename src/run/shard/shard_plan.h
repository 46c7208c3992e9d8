// ShardPlan: the shards that a run consists of, and who solves them when.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firm/options.h"
#include "run/memory/memory_estimate.h"
#include "run/shard/shard.h"

namespace firm {

// Shards that are solved at the same time: of_process[r] are those of process r.
struct Stage {
  std::vector<std::vector<Shard>> of_process;
};

struct ShardPlan {
  std::vector<Stage> stages;  // solved one after another
  std::uint64_t needed = 0;   // memory of this process, for the largest stage
};

// Cuts slices into `count` ranges whose sizes differ by one at most; into fewer if there are fewer
// slices.
std::vector<SliceRange> cut_slices(std::size_t slices, std::size_t count);

struct MemoryLimits {
  std::optional<std::uint64_t> allowed;  // by --max-memory; default: all that is available
  std::uint64_t available = 0;
};

// All sites in this process: the fewest stages that need no more memory than allowed, and no fewer
// than options.chunks; `fixed`: exactly as many, because a resumed run keeps its own. Throws
// firm::Error that names the memory needed and found.
ShardPlan plan_in_turn(const MemoryEstimate& estimate, const Study& study,
                       const SolveOptions& options, bool fixed, const MemoryLimits& limits);

// One stage of shards of one site each. Up to as many processes as sites: sites are dealt out.
// More: a multiple of the number of sites, and the slices are cut into as many groups. Throws
// firm::Error (kUsage) for other numbers of processes.
ShardPlan plan_side_by_side(std::size_t sites, std::size_t slices, std::size_t processes);

// Throws firm::Error (kUsage) when the options ask for several chunks; `where` solves all slices at
// once.
void require_one_chunk(const SolveOptions& options, const std::string& where);

}  // namespace firm
