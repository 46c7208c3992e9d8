// StopForecast: estimates when a run will end, from the decay of the values of its stop rules.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "solve/stop_rules.h"

namespace firm {

// Trend of one rule "value <= target".
class RuleTrend {
 public:
  // `excess` is value / target after `round` rounds.
  void add(int round, double excess);
  // Returns the round at which the rule will hold if the value keeps falling as in the newer half
  // of the rounds: geometrically, or as a power of the round, whichever fits better. 0: unknown,
  // because there are too few rounds or the value does not fall.
  int end() const;

 private:
  struct Point {
    double round = 0;
    double log_round = 0;  // log(1 + round)
    double height = 0;     // log(excess)
  };

  std::vector<Point> points_;  // one for every `stride_`th round
  int stride_ = 1;
};

class StopForecast {
 public:
  explicit StopForecast(const StopOptions& rules) : rules_(rules) {}

  // `misfit`: the largest ratio of ||A w - b|| to the discrepancy level over all columns.
  void add(const RoundMetrics& now, std::optional<double> objective_before, double misfit);
  // Returns the round at which the first rule will hold; 0: unknown.
  int end() const;

 private:
  StopOptions rules_;
  std::array<RuleTrend, 5> trends_;
};

}  // namespace firm
