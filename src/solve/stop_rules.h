// The rules that end a run, whatever the method; options.h has their inequalities.
#pragma once

#include <optional>

#include "firm/options.h"
#include "solve/method.h"

namespace firm {

// What the rules look at.
struct RoundMetrics {
  int round = 0;
  double objective = 0;
  double step_norm = 0;
  double kkt = 0;                   // relative
  std::optional<double> violation;  // ||D w|| / ||w_N||, where it is known
  double unmet = 0;                 // columns above their discrepancy level
};

class StopRules {
 public:
  // The method's own rules and limit stand in where `stop` has none.
  StopRules(const StopOptions& stop, const Method& method);

  const StopOptions& used() const { return stop_; }

  // The first rule that holds, with its numbers. `objective_before` is that of the round before.
  std::optional<Termination> converged(const RoundMetrics& now,
                                       std::optional<double> objective_before) const;
  // Whether the rounds are up.
  std::optional<Termination> limit(int rounds) const;
  // Whether the time is up; not every process need find so in the same round.
  bool late(double seconds) const { return stop_.seconds > 0 && seconds >= stop_.seconds; }
  // What ends the run when some process has voted for it.
  std::optional<Termination> voted(const Scalars& sums) const;

 private:
  StopOptions stop_;
};

}  // namespace firm
