// firm: Algorithm 1 of the paper.
//
//     site i sends   d_i v_i,  v_i = w_i - eta g_i,  g_i = 2 A^T (A w_i - b_i)          (pgd_1)
//     sum            S = D v
//     site i takes   w_i <- (v_i - d_i S / 2)_+                                          (firm)
//
// which is a projected gradient step of length eta on Q(w; eta) (Proposition prop:qp). The theory
// needs sum c_i <= 1. Larger coefficients are scaled: the algorithm runs in w_i / s_i, with s_i
// from Study::weight, so that its coefficients are c_i / max(1, sum c). Coupling applies this
// scaling in its passes.
#pragma once

#include "model/coupling.h"
#include "solve/footprint.h"
#include "solve/method.h"
#include "solve/methods/step_rule.h"

namespace firm {

// Largest eta for which a round is known to lower Q(.; eta) (Proposition prop:descent-stepsize):
// (2 - ||c||^2) / (4 lambda_max), with the scaled coefficients.
double descent_bound(const Study& study, double lambda_max);

// Throws firm::Error (kUsage) unless D A = A D, on which firm and firm+ rest: one matrix, one
// weight, no `other`.
void check_firm_assumptions(const Study& study, const std::string& method);

class Firm : public Method {
 public:
  // Throws firm::Error if the sites do not share one matrix A.
  Firm(Problem& problem, const SolveOptions& options) : Firm(problem, options, 1) {}

  static MethodFootprint footprint(const SolveOptions& options, const HostedSize& size);

  void share() override;
  std::span<float> vector() override { return message_.values(); }
  Verdict judge() override;
  void update() override;
  const Block& images() override { return w_; }
  const std::vector<double>& residuals() const override { return residual_.squares(); }
  std::optional<double> violation() const override;
  void archive(Archive& archive) override;
  int round_limit() const override { return 1000000; }
  int expected_rounds() const override { return rule_.expected_rounds(); }
  double projection_seconds() const override { return problem_.operators().seconds(); }
  long local_iterations() const override { return rounds_; }
  double step_size() const override { return rule_.eta(); }

 protected:
  // `fields`: number of images in a message; S is the first.
  Firm(Problem& problem, const SolveOptions& options, std::size_t fields);

  const Block& w() const { return w_; }
  // Image number k of the message.
  std::span<float> field(std::size_t k);
  const Coupling& coupling() const { return coupling_; }
  const StepRule& rule() const { return rule_; }
  // Outcome of the last round, from judge().
  const StepRule::Outcome& outcome() const { return outcome_; }

  // Computes w <- (v - factor d T)_+ and ends the round.
  void correct(std::span<const float> t, double factor);

 private:
  Problem& problem_;
  Coupling coupling_;
  StepRule rule_;
  StepRule::Outcome outcome_;
  std::vector<double> levels_;
  Residual residual_;
  Sinograms y_;
  Block w_;
  Block g_;
  Block message_;
  Coupling::Change change_;
  int rounds_ = 0;
};

}  // namespace firm
