// StepRule: the loops of Algorithm 1 (FIRM) as a rule for the step eta of the next round.
//
//     outer loop, while eta_k >= eps:
//       inner loop: rounds with eta_k, until ||w+ - w|| <= eta_k^2
//       eta_{k+1} = r eta_k        r = 1 during the first `hold` rounds
//
// ||w+ - w|| is a sum over sites. So as not to spend an exchange on it, it rides with the next
// share, which needs the next eta: that is guessed from how the last inner loop went, and the round
// is repeated when the guess was wrong. With the paper's tolerances it never is.
#pragma once

#include "core/archive.h"
#include "firm/options.h"

namespace firm {

class StepRule {
 public:
  StepRule(const FirmOptions& options, double first_eta);

  // Step with which the share of the round is made.
  double eta() const { return eta_; }
  // Whether that supposes that the last round ended an inner loop.
  bool supposes_end() const { return supposes_end_; }

  struct Outcome {
    bool repeat = false;  // the supposition was wrong
    bool ended = false;   // the last round ended an inner loop, at eta_before()
    bool done = false;    // and the outer loop
  };
  // `step` = ||w+ - w|| and `size` = ||w+|| of the last round; `rounds` taken so far, at least 1.
  Outcome judge(double step, double size, int rounds);
  double eta_before() const { return eta_before_; }

  // Rounds when every inner loop ends at once, as it does with the paper's tolerances.
  int expected_rounds() const;

  // Called when a round has been taken with eta().
  void advance(int rounds);

  void archive(Archive& archive);

 private:
  double after(int rounds) const;
  double tolerance(double size) const;

  FirmOptions options_;
  double first_eta_;
  double eta_;
  double eta_before_;  // of the last round that was taken
  bool supposes_end_ = true;
};

}  // namespace firm
