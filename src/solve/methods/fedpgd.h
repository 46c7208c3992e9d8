// fedpgd: projected gradient with the exact projection onto W (eq. pgd), the paper's baseline.
//
//     site i sends   v_i = w_i - alpha_i g_i                                                (pgd_1)
//     every process  w <- P_W(v), pixel by pixel                                            (pgd_2)
//
// Every process needs each v_i separately. This gather is a sum of vectors that are zero for slots
// hosted elsewhere. alpha_i = gamma 3 / (4 lambda_max(A_i^T A_i) / s_i^2); where the alpha_i
// differ, the projection is taken in the norm sum_i ||w_i||^2 / alpha_i, which amounts to a scaling
// of the variables. With momentum (FISTA with gradient restart, per slice) alpha_i = gamma / (2
// lambda_max / s_i^2).
#pragma once

#include "core/column_loop.h"
#include "solve/footprint.h"
#include "solve/method.h"
#include "solve/methods/projection.h"
#include "solve/noise_stop.h"

namespace firm {

class FedPgd : public Method {
 public:
  FedPgd(Problem& problem, const SolveOptions& options, Collective& collective);

  static MethodFootprint footprint(const SolveOptions& options, const HostedSize& size);

  void share() override;
  std::span<float> vector() override { return all_.values(); }
  Verdict judge() override { return {}; }
  void update() override;
  const Block& images() override { return w(); }
  const std::vector<double>& residuals() const override { return residual_.squares(); }
  std::optional<double> violation() const override;
  void archive(Archive& archive) override;
  bool exact_primal() const override { return true; }
  int round_limit() const override { return 100000; }
  double projection_seconds() const override { return problem_.operators().seconds(); }
  long local_iterations() const override { return rounds_; }
  double step_size() const override { return alpha_.back(); }
  StopOptions default_stop() const override;

 private:
  // Contribution of a piece of the image to the sums of a round.
  struct Part {
    PixelProjection projection;
    std::vector<double> values;      // of a batch
    std::vector<double> violation;   // D w of each pixel of a batch
    std::vector<double> restart;     // <y - w+, w+ - w> of each slice
    std::vector<std::size_t> place;  // in a block of all slots, of the first slot's value
    std::vector<std::size_t> slice;
    double step_squared = 0;
    double mapping_squared = 0;
    double violation_squared = 0;
  };

  void form_gradient();
  void form_share();
  void count_unmet_columns();
  void project_piece(std::size_t piece);
  void project_batch(std::size_t first, std::size_t count, Part& part);
  void locate(std::size_t first, std::size_t count, Part& part) const;
  void take_back(std::size_t count, std::size_t i, Part& part);
  void update_momentum();
  void extrapolate();
  // The hosted columns; in a process that hosts all slots, these are the blocks of all slots.
  const Block& w() const { return problem_.complete() ? all_w_ : w_; }
  const Block& point() const;

  Problem& problem_;
  bool accelerated_;
  std::vector<double> alpha_;  // of each slot
  std::vector<double> inverse_alpha_;
  std::vector<double> scale_;  // sqrt(alpha_i / alpha_N), of each slot
  std::vector<double> inverse_scale_;
  std::vector<double> d_;  // of each slot
  std::vector<double> levels_;
  NoiseStop noise_;
  Residual residual_;
  Sinograms r_;         // A w - b, weighted
  Sinograms r_before_;  // of the w before
  Sinograms r_point_;   // of y, where the gradient is taken
  Block g_;
  Block point_;  // hosted part of y; empty if all slots are hosted
  Block w_;      // hosted part of w; likewise
  Block all_;    // pixels x (slots x slices): v, then w+
  Block all_w_;  // w of all slots
  Block all_y_;  // y of all slots
  std::vector<std::size_t> hosted_slot_;
  std::vector<double> hosted_;  // 1 for hosted slots
  std::vector<Part> parts_;
  ColumnLoop loop_;                  // over all slots
  std::vector<float> step_pattern_;  // 2 alpha
  std::vector<float> beta_pattern_;
  std::vector<double> t_;  // of each slice
  std::vector<double> beta_;
  double step_squared_ = 0;
  double mapping_squared_ = 0;
  double violation_squared_ = 0;
  int rounds_ = 0;
};

}  // namespace firm
