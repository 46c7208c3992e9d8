#include "paper/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/method_names.h"

namespace firm::paper {

int Plan::samples_of(double gamma) const {
  if (samples > 0) return samples;
  if (quick) return 2;
  if (gamma >= 1) return 10;
  if (gamma >= 0.1) return 4;
  return gamma >= 0.05 ? 2 : 1;
}

Trial Plan::trial(const std::string& method, double s) const {
  Trial trial;
  trial.angles = angles;
  trial.noise = s;
  trial.method = method;
  return trial;
}

Trial Plan::firm(double s) const {
  Trial t = trial(method::kFirm, s);
  t.settings = {{"firm.hold", fmt::format("{}", hold)}};
  t.expected_rounds = firm_rounds();
  return t;
}

Plan full_plan() { return {}; }

Plan quick_plan() {
  Plan plan;
  plan.quick = true;
  plan.hold = 1000;
  plan.target = 1e-6;
  plan.ratios = {0.9, 0.99};
  plan.general_rounds = 1;
  plan.grid_angles = {25, 50};
  plan.gammas = {0.1, 1};
  plan.plsqr_angles = {25, 50};
  plan.prior_angles = {25};
  plan.prior_samples = 1;
  plan.absorption_size = 32;
  plan.absorption_angles = 40;
  return plan;
}

Trial for_rounds(Trial trial, int rounds) {
  // A rule that never holds replaces the method's own rule.
  trial.settings.emplace_back("stop.step", "1e-30");
  trial.settings.emplace_back("stop.rounds", fmt::format("{}", rounds));
  trial.expected_rounds = rounds;
  return trial;
}

Trial until_discrepancy(Trial trial, double gamma) {
  trial.settings.emplace_back("stop.discrepancy", number_text(trial.noise));
  // Fits the measured 187, 27 and 6 rounds for s = 0.01, 0.05 and 0.1 with 25 angles.
  trial.expected_rounds = 1 + static_cast<int>(187 * std::pow(trial.noise / 0.01, -1.3) / gamma);
  return trial;
}

}  // namespace firm::paper
