// Rounds of shards that run side by side: the numbers that only one shard knows, and the merged
// record of all shards.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firm/solution.h"
#include "model/problem.h"
#include "run/shard/shard.h"

namespace firm {

// Residuals, distance to the truth and ||D w|| of one shard, round by round. The rest of a
// RoundRecord is the same for all shards of a stage.
class ShardRounds {
 public:
  explicit ShardRounds(std::size_t variables = 0) : variables_(variables) {}
  // Restores the rounds from numbers() of another object.
  ShardRounds(std::size_t variables, std::vector<double> numbers);

  void add(const RoundRecord& record);
  std::size_t count() const { return numbers_.size() / stride(); }
  RoundRecord at(std::size_t k) const;
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::size_t stride() const { return 2 * variables_ + 2; }

  std::size_t variables_;
  std::vector<double> numbers_;  // by round: ||D w||, error, residuals, noise; NaN: unknown
};

// One round of several shards, merged. Shards with the same slices know the same ||D w||.
class MergedRound {
 public:
  void add(const Shard& shard, const std::vector<Variable>& variables, const RoundRecord& own);

  // Names of the residuals, in the order of a Problem that hosts all of them.
  std::vector<std::string> names() const;
  // Returns `common` with the numbers of the shards added; ||D w|| and the error only if all shards
  // know them.
  RoundRecord record(const RoundRecord& common) const;

 private:
  // Numbers of shards by first site and slice, so that sums do not depend on the order of arrival.
  using ByShard = std::map<std::pair<std::size_t, std::size_t>, std::optional<double>>;

  std::map<std::size_t, std::map<std::size_t, double>> squares_;  // residuals, by slot and slice
  std::map<std::size_t, std::map<std::size_t, double>> noise_;    // its squares, likewise
  std::map<std::size_t, std::string> names_;                      // by slot
  ByShard errors_;
  std::map<std::size_t, std::optional<double>> violations_;  // by first slice
};

}  // namespace firm
