// plsqr: LSQR for every site alone, then clipped at zero (the paper's appendix).
//
// LSQR (Paige and Saunders, ACM TOMS 8, 1982) on all columns at once; a column that has converged,
// or has met the discrepancy rule, keeps its image.
#pragma once

#include "core/column_loop.h"
#include "solve/footprint.h"
#include "solve/method.h"

namespace firm {

class Plsqr : public Method {
 public:
  Plsqr(Problem& problem, const SolveOptions& options);

  static MethodFootprint footprint(const SolveOptions& options, const HostedSize& size);

  void share() override;
  std::span<float> vector() override { return {}; }
  Verdict judge() override;
  void update() override;
  const Block& images() override;
  const std::vector<double>& residuals() const override { return squares_; }
  void archive(Archive& archive) override;
  int round_limit() const override { return 10000; }
  double projection_seconds() const override { return problem_.operators().seconds(); }
  long local_iterations() const override { return rounds_; }

 private:
  // The bidiagonalisation of one column, in the letters of the paper.
  struct Column {
    double alpha = 0;
    double beta = 0;
    double rho_bar = 0;
    double phi_bar = 0;   // ||b - A x||
    double gradient = 0;  // ||A^T (b - A x)||
    double norm = 0;      // estimate of ||A||_F so far
    double along_w = 0;   // x += along_w w
    double turn = 0;      // w = v - turn w
    bool active = true;
  };

  void start();
  void update_u();
  void update_v();
  void rotate(Column& column, double next_alpha) const;
  void update_x();
  void judge(Column& column, double level, double b_norm) const;

  Problem& problem_;
  double tolerance_;
  std::vector<double> levels_;
  std::vector<Column> columns_;
  ColumnLoop loop_;
  std::vector<ColumnLoop> ray_loops_;
  Sinograms u_;
  Sinograms y_;
  Block v_;
  Block g_;
  Block w_;  // direction
  Block x_;
  Block images_;
  std::vector<double> squares_;
  double step_squared_ = 0;
  int rounds_ = 0;
};

}  // namespace firm
