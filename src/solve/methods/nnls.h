// Nnls: non-negative least squares, one independent problem per column,
//
//     min_{w >= 0}  h(w) = sum_k alpha_k || A_k w - t_k / alpha_k ||^2
//
// by projected gradient steps with or without momentum (FISTA). Momentum is dropped in a column
// where <y - w+, w+ - w> > 0 (gradient restart). A step with momentum that would raise h is taken
// back, so h never rises. A_k w is kept for the last two images, so that a step costs one product
// with each A_k and one with its transpose.
#pragma once

#include <span>
#include <vector>

#include "core/column_loop.h"
#include "firm/block.h"
#include "model/operators.h"
#include "solve/archive.h"

namespace firm {

class Nnls {
 public:
  Nnls(std::size_t pixels, std::size_t columns, bool momentum, int threads);

  // Adds a term and returns its number. `alpha` has one entry per column of w; 0 leaves the column
  // out. The operators have the same columns as w, and outlive this object.
  std::size_t add_term(Operators& operators, const std::vector<double>& alpha);
  // t_k, to be filled by the caller, and A_k w.
  Sinograms& target(std::size_t term) { return terms_[term].target; }
  const Sinograms& product(std::size_t term) const { return terms_[term].product; }

  // Step length of a column, at most 1 / lambda_max(Hessian of h) with momentum, and below twice
  // that without.
  void set_step(std::size_t column, double step) { steps_[column] = step; }
  // A column that is held keeps its image.
  void hold(std::size_t column) { active_[column] = false; }

  const Block& images() const { return w_; }

  // Call after a target has changed: what is known about h no longer holds.
  void targets_changed() { known_value_ = false; }
  // Squared norm of the projected gradient of h at w, over all columns. Uses one product with each
  // transpose.
  double projected_gradient_squared();
  void step();
  // Call after the last of some steps: a step with momentum that raised h is taken back.
  void finish_steps();

  // Of the last step: ||w - w_before||^2 and ||(y - w) / step||^2, over all columns.
  double step_squared() const { return step_squared_; }
  double mapping_squared() const { return mapping_squared_; }

  void archive(Archive& archive);

 private:
  struct Term {
    Operators* operators;
    Sinograms product;   // A w
    Sinograms before;    // A w of the image before
    Sinograms residual;  // scratch: alpha A y - t
    Sinograms target;
    std::vector<double> alpha;
    std::vector<ColumnLoop> loops;
    std::vector<std::vector<float>> alpha_pattern;
    std::vector<std::vector<float>> beta_pattern;
  };

  void evaluate();         // h(w) of each column
  void take_back_rises();  // to the image before, where h has risen
  void revert(std::size_t column);
  void form_gradient(bool extrapolated);
  void move();
  void update_momentum();

  bool momentum_;
  std::vector<Term> terms_;
  Block w_;
  Block before_;
  Block gradient_;  // half of it
  Block part_;      // one term's, when there are several
  ColumnLoop loop_;
  std::vector<double> steps_;
  std::vector<bool> active_;
  std::vector<double> t_;             // FISTA's t of each column
  std::vector<double> beta_;          // (t_before - 1) / t
  std::vector<bool> had_momentum_;    // whether the last step was made with momentum
  std::vector<double> value_;         // h(w), of each column
  std::vector<double> value_before_;  // h(w_before)
  bool known_value_ = false;          // whether value_before_ belongs to the present targets
  std::vector<float> beta_pattern_;
  std::vector<float> step_pattern_;
  std::vector<float> active_pattern_;
  double step_squared_ = 0;
  double mapping_squared_ = 0;
};

}  // namespace firm
