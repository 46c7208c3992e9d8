#include "solve/stop_rules.h"

#include <fmt/format.h>

#include <cmath>

namespace firm {
namespace {

bool has_rule(const StopOptions& s) {
  return s.objective > 0 || s.discrepancy > 0 || s.kkt > 0 || s.change > 0 || s.step > 0 ||
         s.noise > 0;
}

}  // namespace

SolveOptions with_default_rule(SolveOptions options, const Study& study, bool prior) {
  if (prior) {
    options.stop.discrepancy = 0;
    return options;
  }
  if (!has_rule(options.stop) && study.noise_known()) options.stop.noise = kNoiseStrength;
  return options;
}

bool may_end_at_noise(const SolveOptions& options) {
  return options.stop.noise > 0 || (!has_rule(options.stop) && options.prior.kind == "none");
}

StopRules::StopRules(const StopOptions& stop, const Method& method) : stop_(stop) {
  if (!has_rule(stop)) {
    stop_ = method.default_stop();
    stop_.rounds = stop.rounds;
    stop_.seconds = stop.seconds;
  }
  if (stop_.rounds == 0) stop_.rounds = method.round_limit();
}

std::optional<Termination> StopRules::converged(const RoundMetrics& now,
                                                std::optional<double> objective_before) const {
  if (stop_.objective > 0 && now.objective <= stop_.objective) {
    return Termination{"objective",
                       fmt::format("objective {:.4g} <= {:.4g}", now.objective, stop_.objective)};
  }
  if (stop_.discrepancy > 0 && now.unmet == 0) {
    return Termination{"discrepancy",
                       fmt::format("||A w_i - b_i|| <= max(b_i) sqrt(m) s with s = {:.4g} at every "
                                   "site",
                                   stop_.discrepancy)};
  }
  if (now.round == 0) return {};  // the rules below need a step
  if (stop_.noise > 0 && now.unmet == 0) {
    return Termination{"noise",
                       "more steps would fit noise: no residual falls faster than that of noise"};
  }
  if (stop_.kkt > 0 && now.kkt <= stop_.kkt && now.violation.value_or(0) <= stop_.kkt) {
    return Termination{
        "kkt", fmt::format("relative KKT residual {:.3g} <= {:.3g}, ||D w|| / ||w_N|| = {:.3g}",
                           now.kkt, stop_.kkt, now.violation.value_or(0))};
  }
  if (stop_.step > 0 && now.step_norm <= stop_.step) {
    return Termination{"step",
                       fmt::format("step norm {:.4g} <= {:.4g}", now.step_norm, stop_.step)};
  }
  if (stop_.change > 0 && objective_before &&
      std::abs(*objective_before - now.objective) <= stop_.change * *objective_before) {
    return Termination{"change", fmt::format("objective changed from {:.6g} to {:.6g}, by at most "
                                             "{:.3g} of itself",
                                             *objective_before, now.objective, stop_.change)};
  }
  return {};
}

std::optional<Termination> StopRules::limit(int rounds) const {
  if (rounds < stop_.rounds) return {};
  return Termination{"rounds", fmt::format("{} rounds >= {}", rounds, stop_.rounds), false};
}

std::optional<Termination> StopRules::voted(const Scalars& sums) const {
  if (sums.interrupted > 0) return Termination{"interrupted", "interrupted by the user", false};
  if (sums.early == 0) {
    return Termination{"seconds", fmt::format("{:.4g} s have passed", stop_.seconds), false};
  }
  return {};
}

}  // namespace firm
