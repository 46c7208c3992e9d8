#include "solve/alone_check.h"

#include <algorithm>
#include <cmath>

#include "solve/methods/alone.h"
#include "solve/noise_stop.h"
#include "solve/stop_rules.h"

namespace firm {
namespace {

constexpr long kLeastSteps = 200;

// Whether more rounds would change the images little. A run that stop.discrepancy has ended is as
// far from its data as the user wants, whatever its noise is.
bool is_final(const Summary& s) {
  constexpr double kOptimal = 1e-3;
  const std::string& reason = s.termination.reason;
  if (reason == "discrepancy") return false;
  return reason == "noise" || reason == "change" || s.certificate.relative <= kOptimal;
}

// Whether the site of a variable is fitted worse than its noise allows. A prior may cost some of
// the fit.
bool is_suspicious(const Variable& variable, const SiteSummary& site, bool prior) {
  constexpr double kWithPrior = 1.2;
  const double most = prior ? kWithPrior : kContradicted;
  return !variable.uncoupled() && site.fit().value_or(0) > most;
}

}  // namespace

void compare_with_alone(Problem& problem, const std::function<bool()>& interrupted,
                        Summary& summary) {
  if (!is_final(summary)) return;
  // Summary::sites are the measured variables, in order.
  const std::vector<std::size_t> measured = measured_variables(problem);
  std::vector<std::size_t> suspicious;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const Variable& variable = problem.variables()[measured[k]];
    if (is_suspicious(variable, summary.sites[k], summary.prior.has_value())) {
      suspicious.push_back(k);
    }
  }
  if (suspicious.empty()) return;
  const long steps = std::max(kLeastSteps, summary.local_iterations);
  const AloneFit alone = fit_alone(problem, {kNoiseStrength, steps, interrupted}, nullptr);
  if (alone.interrupted) return;
  for (const std::size_t k : suspicious) {
    double squares = 0;
    for (std::size_t z = 0; z < problem.slices(); ++z) {
      squares += alone.squares[measured[k] * problem.slices() + z];
    }
    summary.sites[k].residual_alone = std::sqrt(squares);
  }
}

}  // namespace firm
