// Merges what shards say about self-absorption: at the end of a run, and in each outer round.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "firm/solution.h"

namespace firm {

// Adds other sites, or other slices of the same sites.
void add_absorption(const AbsorptionSummary& more, AbsorptionSummary& all);

// Collects the outer rounds of shards that run side by side, each on a thread of its own. All
// shards make a round before any of them makes the next.
class AbsorptionRounds {
 public:
  using Callback = std::function<void(const AbsorptionSummary&)>;

  // `callback` receives every round once, when all of `shards` have reported it.
  AbsorptionRounds(std::size_t shards, Callback callback)
      : callback_(std::move(callback)), of_shards_(shards) {}

  void add(std::size_t shard, AbsorptionSummary round);

 private:
  Callback callback_;
  std::mutex mutex_;
  std::vector<std::optional<AbsorptionSummary>> of_shards_;
};

}  // namespace firm
