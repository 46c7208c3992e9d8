#include "solve/methods/step_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {

StepRule::StepRule(const FirmOptions& options, double first_eta)
    : options_(options), first_eta_(first_eta), eta_(first_eta), eta_before_(first_eta) {
  const bool relative = options.rule == "relative";
  if (options.eps > (relative ? 1 : first_eta)) {
    throw usage_error(
        {"solve", "firm.eps",
         relative ? "at most 1, a part of the first step (firm.rule = relative)"
                  : fmt::format("at most the first step eta_1 = {:.3g}, which depends on the unit "
                                "of length (firm.rule = relative does not)",
                                first_eta),
         fmt::format("{}", options.eps)});
  }
}

// Round max(hold, 1) is the last with eta_1; from then on eta shrinks until the next is below eps.
int StepRule::expected_rounds() const {
  const double least = options_.rule == "relative" ? options_.eps : options_.eps / first_eta_;
  const double shrinkings = std::ceil(std::log(least) / std::log(options_.ratio));
  return std::max(options_.hold, 1) - 1 + static_cast<int>(std::max(shrinkings, 1.0));
}

double StepRule::after(int rounds) const {
  return rounds < options_.hold ? eta_before_ : options_.ratio * eta_before_;
}

double StepRule::tolerance(double size) const {
  if (options_.rule == "paper") return eta_before_ * eta_before_;
  const double part = eta_before_ / first_eta_;
  return part * part * size;
}

StepRule::Outcome StepRule::judge(double step, double size, int rounds) {
  Outcome outcome;
  outcome.ended = step <= tolerance(size);
  const double right = outcome.ended ? after(rounds) : eta_before_;
  const double least = options_.rule == "relative" ? options_.eps * first_eta_ : options_.eps;
  outcome.done = outcome.ended && right < least;
  outcome.repeat = !outcome.done && outcome.ended != supposes_end_;
  supposes_end_ = outcome.ended;
  eta_ = right;
  return outcome;
}

void StepRule::advance(int rounds) {
  eta_before_ = eta_;
  if (supposes_end_) eta_ = after(rounds);
}

void StepRule::archive(Archive& archive) {
  archive.number("rule/eta", eta_);
  archive.number("rule/eta_before", eta_before_);
  archive.flag("rule/supposes_end", supposes_end_);
}

}  // namespace firm
