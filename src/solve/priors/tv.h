// TotalVariation: the prior that prefers images of few and short edges.
//
//     R_c(w) = lambda_c sum_p sqrt(d_row^2 + d_column^2 (+ (a d_slice)^2))
//
// d are forward differences between neighbouring pixels, 0 in the last row, column and slice;
// a = pixel size / slice spacing. Without differences between slices each column is a problem of
// its own; with them, all slices of a variable are one problem.
//
// The proximal step argmin_{x >= 0} R(x) + ||x - v||^2 / (2 t) maximises over the dual p,
// |p| <= 1 at each pixel, by the fast gradient projection of Beck and Teboulle (IEEE Trans. Image
// Process. 18, 2009): r = p + momentum (p - p_before),
//
//     x = max(v - t lambda G^T r, 0),   p+ = projection of r + G x / (t lambda ||G||^2),
//
// at the end x = max(v - t lambda G^T p, 0). p is kept: the next proximal step starts from it, with
// fresh momentum. Results do not depend on the number of threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/archive.h"
#include "firm/block.h"
#include "model/prior.h"
#include "solve/priors/tv_sweep.h"

namespace firm {

struct TvOptions {
  int image_rows = 0;
  int image_columns = 0;
  std::size_t slices = 1;      // columns of a variable
  std::vector<double> lambda;  // of each column, from 0 on; 0: only w >= 0
  int inner = 10;              // steps on the dual in a proximal step
  // a: weight of differences between slices, 0: none. If it is positive, slices of a variable must
  // have the same lambda.
  double slice_scale = 0;
  int threads = 0;  // 0: all
  std::string kernel = "auto";
};

class TotalVariation : public Prior {
 public:
  explicit TotalVariation(const TvOptions& options);

  void add_values(const Block& w, std::span<double> values) override;
  // With differences between slices, held slices (step 0, image >= 0) are fixed neighbours of the
  // others.
  void proximal_step(std::span<const double> steps, Block& w) override;
  bool add_subgradient(Block& z) const override {
    add_adjoint(z);
    return true;
  }
  // Keeps the dual.
  void archive(Archive& archive) override;

  // Sets the number of steps on the dual, at least 1. A proximal step is exact in the limit.
  void set_inner(int inner);
  int inner() const { return options_.inner; }
  // Sets lambda of each column. The dual stays: it is a good start for a similar lambda.
  void set_lambda(std::vector<double> lambda);
  const std::vector<double>& lambda() const { return options_.lambda; }

  // Adds <lambda_c p_c, G w_c> to values[c]: at most R_c(w), and equal to it where p and w are
  // optimal.
  void add_dual_products(const Block& w, std::span<double> values) const;
  // Replaces the dual by that of another method, |p_c| <= lambda_c: pixels x columns, of the
  // differences between rows and between columns. Only without differences between slices.
  void take_dual(const Block& between_rows, const Block& between_columns) override;
  // z += lambda G^T p. After a proximal step of v, w = max(v - t lambda G^T p, 0).
  void add_adjoint(Block& z) const;

 private:
  std::size_t columns() const { return options_.lambda.size(); }
  void check_image(const Block& w) const;
  void fill_patterns(std::span<const double> steps);
  void fill_pattern(std::vector<float>& pattern, const std::vector<double>& per_column) const;
  void move_dual(const Block& v);
  void form_image(Block& w);
  // Calls add(piece, row) for all image rows, by pieces of a fixed number of rows.
  template <typename Add>
  void by_pieces(const Add& add) const;
  std::size_t pieces() const;

  TvOptions options_;
  TvShape shape_;
  const TvFunctions* functions_;
  int threads_;
  TvSweep sweep_;
  // One value for each float of a row.
  std::vector<float> inverse_;       // 1 / (t lambda); 0 in columns whose dual stays
  std::vector<float> share_;         // t relative to the largest of the variable
  std::vector<float> slice_weight_;  // a, 0 in the last slice of a variable
  std::vector<float> weight_;        // t lambda
  std::vector<float> moves_;         // t > 0
  std::vector<float> sums_;          // of add_values: a row for each piece
  bool dual_moves_ = false;
};

}  // namespace firm
