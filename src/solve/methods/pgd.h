// pgd: every site alone (the paper's IIR model, eq. model_individual).
//
//     w_i <- (w_i - alpha g_i)_+ ,   alpha = gamma 3 / (4 lambda_max)
//
// or with momentum and alpha = gamma / (2 lambda_max). Sites exchange nothing but the numbers that
// decide when to stop. A column that has met the discrepancy rule, or is fitted to its noise, keeps
// its image.
#pragma once

#include "solve/footprint.h"
#include "solve/method.h"
#include "solve/methods/nnls.h"
#include "solve/noise_stop.h"

namespace firm {

class Pgd : public Method {
 public:
  explicit Pgd(const MethodInput& input);

  static MethodFootprint footprint(const SolveOptions& options, const HostedSize& size);

  void share() override;
  std::span<float> vector() override { return {}; }
  Verdict judge() override { return {}; }
  void update() override;
  const Block& images() override { return nnls_.images(); }
  const std::vector<double>& residuals() const override { return squares_; }
  void archive(Archive& archive) override;
  int round_limit() const override { return 100000; }
  double projection_seconds() const override { return problem_.operators().seconds(); }
  long local_iterations() const override { return rounds_; }
  StopOptions default_stop() const override;
  const PriorTerm* prior() const override { return nnls_.prior(); }
  void problem_changed() override;
  // A w of all hosted images.
  const Sinograms& products() const { return nnls_.product(0); }

 private:
  void fill_target();
  void set_steps();
  void hold_finished();

  Problem& problem_;
  double step_factor_;
  std::vector<double> levels_;
  NoiseStop noise_;
  Nnls nnls_;
  Residual residual_;
  Sinograms y_;
  std::vector<double> squares_;
  int rounds_ = 0;
};

}  // namespace firm
