#include "run/shard/chunks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/byte_size.h"
#include "firm/error.h"

namespace firm {
namespace {

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

std::string slices_text(std::size_t slices) {
  return fmt::format("{} slice{}", slices, slices == 1 ? "" : "s");
}

std::string needs_text(const RunNeeds& needs, std::size_t slices, const std::string& method) {
  return fmt::format("{} for {} by {}", byte_size_text(needs.bytes(slices)), slices_text(slices),
                     method);
}

// The fewest chunks that fit into `bytes`.
std::size_t fewest_chunks(const RunNeeds& needs, std::size_t slices, const std::string& method,
                          std::uint64_t bytes) {
  if (needs.bytes(1) > bytes) {
    throw usage_error({"firm recon", "--max-memory",
                       fmt::format("at least {}", needs_text(needs, 1, method)),
                       byte_size_text(bytes)});
  }
  std::size_t chunks = 1;
  while (needs.bytes(divide_up(slices, chunks)) > bytes) ++chunks;
  return chunks;
}

}  // namespace

std::vector<SliceRange> cut_slices(std::size_t slices, std::size_t chunks) {
  FIRM_CHECK(slices > 0 && chunks > 0);
  const std::size_t count = std::min(slices, chunks);
  std::vector<SliceRange> ranges;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t first = k * slices / count;
    ranges.push_back({first, (k + 1) * slices / count - first});
  }
  return ranges;
}

ChunkPlan plan_chunks(const RunNeeds& needs, std::size_t slices, const SolveOptions& options,
                      bool fixed, const MemoryLimits& limits) {
  auto chunks = static_cast<std::size_t>(options.chunks);
  if (limits.allowed && !fixed) {
    chunks = std::max(chunks, fewest_chunks(needs, slices, options.method, *limits.allowed));
  }
  ChunkPlan plan{cut_slices(slices, chunks), 0};
  const std::size_t largest = divide_up(slices, plan.chunks.size());
  plan.needed = needs.bytes(largest);
  if (limits.allowed && plan.needed > *limits.allowed) {
    throw usage_error({"firm recon", "--max-memory",
                       fmt::format("at least {}: a run that is resumed keeps its chunks",
                                   needs_text(needs, largest, options.method)),
                       byte_size_text(*limits.allowed)});
  }
  if (plan.needed > limits.available) {
    throw data_error(
        {"memory", "", fmt::format("about {}", needs_text(needs, largest, options.method)),
         fmt::format("{} available; --max-memory {}MB computes fewer slices at a time",
                     byte_size_text(limits.available), limits.available / 10 * 9 / 1000000)});
  }
  return plan;
}

void require_one_chunk(const SolveOptions& options, const std::string& where) {
  if (options.chunks == 1) return;
  throw usage_error({where, "chunks", "1: all slices are solved at once there",
                     fmt::format("{}", options.chunks)});
}

}  // namespace firm
