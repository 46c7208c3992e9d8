// PrimalDual: the local problem of a method with a total-variation prior, one per column,
//
//     min_{w >= 0}  sum_k kappa_k || A_k w - t_k ||^2 + lambda TV(w)
//
// by the primal-dual method of Chambolle and Pock (J. Math. Imaging Vis. 40, 2011) with a
// preconditioner in data space, for data of little noise: there proximal gradient steps need
// thousands of steps, because A^T A is badly conditioned. A ramp filter R = max(|f|, f0) along the
// detector takes most of that away, as in filtered backprojection:
//
//     y_k <- (I + S_k / (2 kappa_k))^-1 (y_k + S_k (A_k wbar - t_k)) ,   S_k = R / (2 K l_k tau)
//     p   <- projection of p + G wbar / (16 tau) onto |p| <= lambda at each pixel
//     w+  =  (w - tau (sum_k A_k^T y_k + G^T p))_+ ,     wbar = 2 w+ - w
//
// with K terms, l_k = || A_k^T R A_k ||, and tau = theta max(w) / lambda. All operators are plain:
// values have no weights. The objective may rise from step to step.
#pragma once

#include <vector>

#include "core/archive.h"
#include "firm/block.h"
#include "model/operators.h"
#include "solve/footprint.h"
#include "solve/priors/detector_filter.h"

namespace firm {

class PrimalDual {
 public:
  PrimalDual(int image_rows, int image_columns, std::size_t columns, int threads);

  // Adds a term; kappa has one entry per column of w, 0: the column has no such term. The operators
  // outlive this object.
  void add_term(Operators& operators, const std::vector<double>& kappa);
  // Sets lambda of each column, and the largest value of its image, about. Call after all terms are
  // there.
  void prepare(const std::vector<double>& lambda, const std::vector<double>& largest);
  bool prepared() const { return !tau_.empty(); }

  // Takes steps from w, with the duals of the steps before, at first 0. `targets`: kappa_k t_k of
  // each term.
  void run(int steps, const std::vector<const Sinograms*>& targets, Block& w);

  // p, of the differences between rows and between columns.
  const Block& dual_between_rows() const { return edge_row_; }
  const Block& dual_between_columns() const { return edge_column_; }

  // Archives duals and steps.
  void archive(Archive& archive);

  // Adds its arrays to those of firm-ds, which solves for all hosted images but XRT's. `one_term`:
  // the rays of XRT serve for the sites' own data, too.
  static void add_footprint(const HostedSize& size, bool one_term, MethodFootprint& method);

 private:
  struct Term {
    Operators* operators;
    std::vector<double> kappa;
    std::vector<double> norm;  // l of each column
    Sinograms dual;            // y
    Sinograms product;         // A wbar, then A wbar - t
    // Filters of y and of A wbar - t, for each column of each group.
    std::vector<std::vector<DetectorFilter>> of_dual;
    std::vector<std::vector<DetectorFilter>> of_residual;
  };

  void measure_norms(Term& term);
  void make_filters(Term& term);
  std::size_t terms_of(std::size_t column) const;
  void move_data_dual(Term& term, const Sinograms& target);
  void move_edge_dual();
  void move_image(Block& w);

  int rows_;
  int image_columns_;
  std::size_t columns_;
  int threads_;
  std::vector<Term> terms_;
  std::vector<double> lambda_;
  std::vector<double> tau_;
  Block ahead_;     // wbar
  Block edge_row_;  // p
  Block edge_column_;
  Block gradient_;  // sum_k A_k^T y_k
  Block part_;
};

}  // namespace firm
