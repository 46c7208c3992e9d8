// Nnls: non-negative least squares, one independent problem per column,
//
//     min_{w >= 0}  h(w) = sum_k alpha_k || A_k w - t_k / alpha_k ||^2 + R(w)
//
// by proximal gradient steps with or without momentum (FISTA). R is a Prior, or 0: then the step is
// a projected gradient step. Momentum is dropped in a column where <y - w+, w+ - w> > 0 (gradient
// restart). A step with momentum that raises h is undone, so h never rises. A_k w is kept for the
// last two images, so that a step costs one product with each A_k and one with its transpose.
#pragma once

#include <span>
#include <vector>

#include "core/archive.h"
#include "core/column_loop.h"
#include "firm/block.h"
#include "model/operators.h"
#include "model/prior.h"
#include "solve/priors/primal_dual.h"

namespace firm {

// Squared norm of a step that has not been taken since the problem changed: larger than any, and a
// number that a sum over sites can hold.
inline constexpr double kUnknownSquare = 1e18;

class Nnls {
 public:
  Nnls(std::size_t pixels, std::size_t columns, bool momentum, int threads);

  // Adds a term and returns its number. `alpha` has one entry per column of w; 0 leaves the column
  // out. The operators have the same columns as w, and outlive this object.
  std::size_t add_term(Operators& operators, const std::vector<double>& alpha);
  // Changes alpha of a term; call restart() before the next step.
  void set_alpha(std::size_t term, const std::vector<double>& alpha);
  // Returns t_k, which the caller fills, and A_k w.
  Sinograms& target(std::size_t term) { return terms_[term].target; }
  const Sinograms& product(std::size_t term) const { return terms_[term].product; }
  const std::vector<double>& alpha(std::size_t term) const { return terms_[term].alpha; }

  // Step length of a column, at most 1 / lambda_max(Hessian of h) with momentum, and below twice
  // that without.
  void set_step(std::size_t column, double step) { steps_[column] = step; }
  // Sets all steps to factor / bound of the Hessian of h, whose terms have been added. Where
  // operators bound it pixel by pixel (Operators::curvature), each pixel has its own step. A
  // prior's proximal step needs one for all: there the largest bound of a column counts.
  void set_steps(double factor);
  // Holds a column: it keeps its image.
  void hold(std::size_t column) { active_[column] = false; }
  void release(std::size_t column) { active_[column] = true; }
  bool held(std::size_t column) const { return !active_[column]; }
  // Number of pixels above 0 of each column.
  std::vector<std::size_t> pixels_above_zero();

  // Adds the penalty R. Call after the steps are set. `columns` names the columns of w among the
  // images of the problem, for prior().
  void set_prior(std::unique_ptr<Prior> prior, std::vector<std::size_t> columns);
  const PriorTerm* prior() const { return prior_ ? &prior_term_ : nullptr; }
  // R(w) over all columns.
  double prior_value() const;

  const Block& images() const { return w_; }
  // Replaces images, all >= 0, of which column c is column columns[c] of `images`; then restarts.
  void set_images(const Block& images, const std::vector<std::size_t>& columns);

  // Replaces images by those of another method, w >= 0, and the dual of the prior by its own.
  void replace_images(Block images, const PrimalDual& dual);

  // Call after a target has changed: the known value of h is out of date.
  void targets_changed() { known_value_ = false; }
  // Call after targets, matrices or steps have changed: computes A w again and drops momentum. The
  // squared norms of the last step are kUnknownSquare until the next step.
  void restart();
  // Squared norm of the projected gradient of h at w (with a prior: of the proximal gradient
  // mapping), over all columns. Uses one product with each transpose.
  double projected_gradient_squared();
  void step();
  // Call after a series of steps: undoes the last step if it had momentum and raised h.
  void finish_steps();

  // ||w - w_before||^2 and ||(y - w) / step||^2 of the last step, over all columns.
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
  void take_back_rises();  // returns to the image before where h has risen
  void revert(std::size_t column);
  void form_gradient(bool extrapolated);
  void move();
  template <typename StepAt>
  void move_by(const StepAt& step_at);
  void move_with_prior();
  void fill_step_patterns();
  void set_pixel_steps(double factor);
  std::vector<double> active_steps() const;
  void update_momentum();

  bool momentum_;
  std::unique_ptr<Prior> prior_;
  PriorTerm prior_term_;
  Block point_;  // y, with a prior
  std::vector<Term> terms_;
  Block w_;
  Block before_;
  Block gradient_;  // half of the gradient
  Block part_;      // gradient of one term, if there are several
  ColumnLoop loop_;
  std::vector<double> steps_;
  Block pixel_steps_;  // empty: steps_ for all pixels
  std::vector<bool> active_;
  std::vector<double> t_;             // FISTA's t of each column
  std::vector<double> beta_;          // (t_before - 1) / t
  std::vector<bool> had_momentum_;    // whether the last step was made with momentum
  std::vector<double> value_;         // h(w), of each column
  std::vector<double> value_before_;  // h(w_before)
  bool known_value_ = false;          // value_before_ belongs to the current targets
  std::vector<float> beta_pattern_;
  std::vector<float> step_pattern_;
  std::vector<float> active_pattern_;
  double step_squared_ = 0;
  double mapping_squared_ = 0;
};

}  // namespace firm
