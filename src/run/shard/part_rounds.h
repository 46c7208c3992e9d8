// The rounds of a run in parts: what each part alone knows of them, and the record of all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/shard/parts.h"
#include "solve/solver.h"

namespace firm {

// What a part knows of each of its rounds and others do not: residuals, distance to the truth, and
// ||D w|| of its slices. The rest of a RoundRecord is the same for all parts.
class PartRounds {
 public:
  explicit PartRounds(std::size_t variables = 0) : variables_(variables) {}
  // From numbers() of another.
  PartRounds(std::size_t variables, std::vector<double> numbers);

  void add(const RoundRecord& record);
  std::size_t count() const { return numbers_.size() / stride(); }
  RoundRecord at(std::size_t k) const;
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::size_t stride() const { return variables_ + 2; }

  std::size_t variables_;
  std::vector<double> numbers_;  // by round: ||D w||, error, residuals; NaN: not known
};

// One round of several parts.
class JoinedRound {
 public:
  void add(const Part& part, const std::vector<Variable>& variables, const RoundRecord& own);

  // In the order of a Problem that hosts all of them.
  std::vector<std::string> names() const;
  // `common` with what the parts know: ||D w|| and the error only where all of them do.
  RoundRecord record(const RoundRecord& common) const;

 private:
  struct Residual {
    std::string name;
    double squared = 0;
  };
  std::map<std::size_t, Residual> residuals_;  // by slot
  std::optional<double> error_squared_ = 0;
  std::optional<double> violation_squared_ = 0;
};

}  // namespace firm
