// Stop rules of a run, for every method; firm/options.h has their inequalities.
#pragma once

#include <optional>

#include "firm/options.h"
#include "solve/method.h"

namespace firm {

// Metrics that the rules test.
struct RoundMetrics {
  int round = 0;
  double objective = 0;
  double step_norm = 0;
  double kkt = 0;                   // relative
  std::optional<double> violation;  // ||D w|| / ||w_N||, if known
  double unmet = 0;                 // columns above their discrepancy level
};

// Default of stop.noise where the noise of the sites is known.
inline constexpr double kNoiseStrength = 0.5;

// Returns the options that a method is made with: where the noise of the sites is known and no
// rule is set, the steps end at the noise. A prior keeps images from fitting noise by itself: with
// one, stop.discrepancy tells the noise and is no rule.
SolveOptions with_default_rule(SolveOptions options, const Study& study, bool prior);
// Whether that may set stop.noise, for a study of which nothing is known yet.
bool may_end_at_noise(const SolveOptions& options);

class StopRules {
 public:
  // Uses the method's own rules and limit if `stop` has none.
  StopRules(const StopOptions& stop, const Method& method);

  const StopOptions& used() const { return stop_; }

  // Returns the first rule that holds, with its numbers. `objective_before`: objective of the round
  // before.
  std::optional<Termination> converged(const RoundMetrics& now,
                                       std::optional<double> objective_before) const;
  // Returns true if the limit of rounds is reached.
  std::optional<Termination> limit(int rounds) const;
  // Returns true if the time limit is not reached. The run ends when it is reached in all
  // processes, because only a process that is paused knows how long.
  bool early(double seconds) const { return stop_.seconds == 0 || seconds < stop_.seconds; }
  // Returns the reason for the end that the votes of all processes give.
  std::optional<Termination> voted(const Scalars& sums) const;

 private:
  StopOptions stop_;
};

}  // namespace firm
