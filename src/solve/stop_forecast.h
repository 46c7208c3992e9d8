// StopForecast: about when a run will end, from how the values of its stop rules fall.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "solve/stop_rules.h"

namespace firm {

// One rule "value <= target".
class RuleTrend {
 public:
  // `excess` is value / target after `round` rounds.
  void add(int round, double excess);
  // The round at which the rule will hold, if the value goes on falling as in the newer half of the
  // rounds: by a part of itself per round, or as a power of the round, whichever fits better.
  // 0: not known, since there are too few rounds, or it does not fall.
  int end() const;

 private:
  struct Point {
    double round = 0;
    double log_round = 0;  // log(1 + round)
    double height = 0;     // log(excess)
  };

  std::vector<Point> points_;  // of every `stride_`th round
  int stride_ = 1;
};

class StopForecast {
 public:
  explicit StopForecast(const StopOptions& rules) : rules_(rules) {}

  // `misfit`: the largest ||A w - b|| of a column, in parts of its discrepancy level.
  void add(const RoundMetrics& now, std::optional<double> objective_before, double misfit);
  // The round at which the first rule will hold; 0: not known.
  int end() const;

 private:
  StopOptions rules_;
  std::array<RuleTrend, 5> trends_;
};

}  // namespace firm
