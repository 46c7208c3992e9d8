// pgd: every site alone (the paper's IIR model, eq. model_individual).
//
//     w_i <- (w_i - alpha g_i)_+ ,   alpha = gamma 3 / (4 lambda_max)
//
// or with momentum and alpha = gamma / (2 lambda_max). Sites exchange nothing but the numbers that
// decide when to stop. A column that has met the discrepancy rule keeps its image.
#pragma once

#include "solve/method.h"
#include "solve/methods/nnls.h"

namespace firm {

class Pgd : public Method {
 public:
  Pgd(Problem& problem, const SolveOptions& options);

  void share() override;
  std::span<float> vector() override { return {}; }
  Verdict judge() override { return {}; }
  void update() override;
  const Block& images() override { return nnls_.images(); }
  const std::vector<double>& residuals() const override { return squares_; }
  void archive(Archive& archive) override;
  bool joint() const override { return false; }
  int round_limit() const override { return 100000; }
  double projection_seconds() const override { return problem_.operators().seconds(); }
  long local_iterations() const override { return rounds_; }
  StopOptions default_stop() const override;

 private:
  Problem& problem_;
  std::vector<double> levels_;
  Nnls nnls_;
  Residual residual_;
  Sinograms y_;
  std::vector<double> squares_;
  int rounds_ = 0;
};

}  // namespace firm
