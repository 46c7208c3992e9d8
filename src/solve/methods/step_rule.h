// StepRule: the loops of Algorithm 1 (FIRM) as a rule for the step eta of the next round.
//
//     outer loop, while eta_k >= eps:
//       inner loop: rounds with eta_k, until ||w+ - w|| <= eta_k^2
//       eta_{k+1} = r eta_k        r = 1 during the first `hold` rounds
//
// ||w+ - w|| is a sum over sites. To save an exchange it travels with the next share, which already
// needs the next eta. The rule guesses this eta from the course of the last inner loop, and repeats
// the round after a wrong guess. With the paper's tolerances the guess is never wrong.
#pragma once

#include "core/archive.h"
#include "firm/options.h"

namespace firm {

class StepRule {
 public:
  StepRule(const FirmOptions& options, double first_eta);

  // Step of the current round's share.
  double eta() const { return eta_; }
  // Whether eta() assumes that the last round ended an inner loop.
  bool supposes_end() const { return supposes_end_; }

  struct Outcome {
    bool repeat = false;  // the assumption was wrong
    bool ended = false;   // the last round ended an inner loop, at eta_before()
    bool done = false;    // it ended the outer loop, too
  };
  // `step` = ||w+ - w|| and `size` = ||w+|| of the last round; `rounds` taken so far, at least 1.
  Outcome judge(double step, double size, int rounds);
  double eta_before() const { return eta_before_; }

  // Number of rounds if every inner loop ends after one round, as with the paper's tolerances.
  int expected_rounds() const;

  // Call after a round with eta().
  void advance(int rounds);

  void archive(Archive& archive);

 private:
  double after(int rounds) const;
  double tolerance(double size) const;

  FirmOptions options_;
  double first_eta_;
  double eta_;
  double eta_before_;  // eta of the last completed round
  bool supposes_end_ = true;
};

}  // namespace firm
