#include "run/shard/shard_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/byte_size.h"
#include "firm/error.h"

namespace firm {
namespace {

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

std::string memory_text(const MemoryEstimate& estimate, std::size_t slices,
                        const std::string& method) {
  return fmt::format("{} for {} slice{} by {}", byte_size_text(estimate.bytes(slices)), slices,
                     slices == 1 ? "" : "s", method);
}

// Returns the smallest number of stages that fits into `bytes`.
std::size_t fewest_stages(const MemoryEstimate& estimate, std::size_t slices,
                          const std::string& method, std::uint64_t bytes) {
  if (estimate.bytes(1) > bytes) {
    throw usage_error({"firm recon", "--max-memory",
                       fmt::format("at least {}", memory_text(estimate, 1, method)),
                       byte_size_text(bytes)});
  }
  std::size_t stages = 1;
  while (estimate.bytes(divide_up(slices, stages)) > bytes) ++stages;
  return stages;
}

void require_memory(const MemoryEstimate& estimate, std::size_t slices, const std::string& method,
                    const MemoryLimits& limits) {
  const std::uint64_t needed = estimate.bytes(slices);
  if (limits.allowed && needed > *limits.allowed) {
    throw usage_error({"firm recon", "--max-memory",
                       fmt::format("at least {}: a run that is resumed keeps its chunks",
                                   memory_text(estimate, slices, method)),
                       byte_size_text(*limits.allowed)});
  }
  if (needed > limits.available) {
    throw data_error(
        {"memory", "", fmt::format("about {}", memory_text(estimate, slices, method)),
         fmt::format("{} available; --max-memory {}MB computes fewer slices at a time",
                     byte_size_text(limits.available), limits.available / 10 * 9 / 1000000)});
  }
}

}  // namespace

std::string shard_name(const Study& study, const Shard& shard) {
  FIRM_CHECK(shard.sites.size() == 1);
  const std::string& site = study.sites.at(shard.sites.front()).name;
  return shard.slices.first == 0 ? site : fmt::format("{}-slices-{}", site, shard.slices.first);
}

std::vector<SliceRange> cut_slices(std::size_t slices, std::size_t count) {
  FIRM_CHECK(slices > 0 && count > 0);
  const std::size_t ranges = std::min(slices, count);
  std::vector<SliceRange> cut;
  for (std::size_t k = 0; k < ranges; ++k) {
    const std::size_t first = k * slices / ranges;
    cut.push_back({first, (k + 1) * slices / ranges - first});
  }
  return cut;
}

void require_memory_to_align(std::uint64_t needed, const MemoryLimits& limits) {
  const std::string fix =
      "; or run firm align where there is more, and solve the study it writes without --refine";
  const std::string expected = byte_size_text(needed) + " to align the scans (--refine)";
  if (limits.allowed && needed > *limits.allowed) {
    throw usage_error({"firm recon", "--max-memory", "at least " + expected + fix,
                       byte_size_text(*limits.allowed)});
  }
  if (needed > limits.available) {
    throw data_error(
        {"memory", "", "about " + expected + fix, byte_size_text(limits.available) + " available"});
  }
}

ShardPlan plan_in_turn(const MemoryEstimate& unbounded, const Study& study,
                       const SolveOptions& options, bool fixed, const MemoryLimits& limits) {
  MemoryEstimate estimate = unbounded;
  estimate.fit_absorption(limits.allowed.value_or(limits.available));
  require_memory_to_align(estimate.aligning, limits);
  auto stages = static_cast<std::size_t>(options.chunks);
  if (limits.allowed && !fixed) {
    stages =
        std::max(stages, fewest_stages(estimate, study.slices, options.method, *limits.allowed));
  }
  std::vector<std::size_t> sites(study.sites.size());
  std::iota(sites.begin(), sites.end(), 0);
  ShardPlan plan;
  for (const SliceRange& slices : cut_slices(study.slices, stages)) {
    plan.stages.push_back({{{Shard{sites, slices, 0}}}});
  }
  const std::size_t largest = divide_up(study.slices, plan.stages.size());
  plan.needed = estimate.bytes(largest);
  plan.most_absorption = estimate.most_absorption;
  require_memory(estimate, largest, options.method, limits);
  return plan;
}

ShardPlan plan_side_by_side(std::size_t sites, std::size_t slices, std::size_t processes) {
  FIRM_CHECK(sites > 0 && slices > 0 && processes > 0);
  const std::size_t groups = std::max<std::size_t>(1, processes / sites);
  if (processes > sites && (processes % sites != 0 || groups > slices)) {
    throw usage_error({"mpirun", "-n",
                       fmt::format("1 to {}, or a multiple of {} up to {}: {} sites, {} slices",
                                   sites, sites, sites * slices, sites, slices),
                       fmt::format("{} processes", processes)});
  }
  Stage stage;
  stage.of_process.resize(processes);
  const std::vector<SliceRange> ranges = cut_slices(slices, groups);
  for (std::size_t k = 0; k < sites * groups; ++k) {
    stage.of_process[k % processes].push_back(Shard{{k % sites}, ranges[k / sites], k / sites});
  }
  return {{stage}, 0};
}

void require_one_chunk(const SolveOptions& options, const std::string& where) {
  if (options.chunks == 1) return;
  throw usage_error({where, "chunks", "1: all slices are solved at once there",
                     fmt::format("{}", options.chunks)});
}

}  // namespace firm
