// firm-ds: the exchange takes place in data space.
//
// w_N is eliminated. With q_i = c_i A_N w_i and weights tau_i > 0, sum tau_i = 1, Cauchy-Schwarz
// gives a majoriser of the coupling term that is separable and touches at q^k:
//
//     ||sum_i q_i - b_N||^2 <= ||e||^2 + 2 <e, sum_i (q_i - q_i^k)> + sum_i ||q_i - q_i^k||^2 /
//     tau_i
//
//     site i sends   q_i = c_i A_N w_i          site N sends  -b_N (+ A_N w_other)
//     sum            e = sum_i q_i - b_N, the residual of XRT
//     site i takes   M steps (Nnls) towards  min_{w >= 0}  || A_i w - b_i ||^2 / s_i^2
//                         + || c_i A_N w - (q_i - tau_i e) ||^2 / (tau_i s_N^2)
//
// With stop.noise, steps have no momentum, each round takes an eighth of the steps taken so far,
// and a site that is fitted to its noise (NoiseStop) keeps its image while the others continue. So
// the images pass through the same stages as those of each site alone, at any number of rounds.
// Before the first round each site is fitted alone (fit_alone). Jointly it never fits its own data
// closer than alone, and does not end while it is farther from it than alone and than its noise. A
// site that is not coupled, c_i = 0, keeps the image it has alone.
//
// Where XRT is more accurate than the others, c_i s_i > s_N, its weight would leave their own data
// behind: s_N is at least c_i s_i until all of them are done. Only in a second stage it is its own.
// There the images are corrected, and no noise is fitted any more: A_i w_i of the images so far
// takes the place of b_i, and A_N w of XRT alone that of b_N.
//
// A prior R_i(w) adds to the local problem. With little noise PrimalDual solves it. Each site
// starts with M steps on its own data, or with an image made from it (MethodInput::start), so that
// not even the first sum reveals a measurement. The objective never rises, and the coupling holds
// exactly in every round. `other`, which lives with site N, takes part like an XRF site with c = 1
// and without data of its own. tau_i is proportional to c_i s_i.
//
// Where XRT values have weights W <= 1, || W^1/2 (sum_i q_i - b_N) ||^2 has the same majoriser with
// W e in place of e. Only site N knows W, which reveals something about its data; it sends W e in a
// separate sum.
#pragma once

#include "solve/footprint.h"
#include "solve/method.h"
#include "solve/methods/nnls.h"
#include "solve/methods/xrt_residual.h"
#include "solve/noise_stop.h"
#include "solve/priors/primal_dual.h"

namespace firm {

class FirmDs : public Method {
 public:
  explicit FirmDs(const MethodInput& input);

  static MethodFootprint footprint(const SolveOptions& options, const HostedSize& size);

  // Fits each site by itself, unless it has images to start or resume from.
  void prepare() override;
  void share() override;
  std::span<float> vector() override { return message_.values(); }
  void add_global_scalars() override;
  Verdict judge() override { return {}; }
  void update() override;
  void finish(Collective& collective) override;
  const Block& images() override;
  // If sites are elsewhere, the image of XRT, a sum over the others, is complete only after
  // finish().
  bool knows_images() const override {
    return problem_.complete() || problem_.transmission() == problem_.variables().size();
  }
  const std::vector<double>& residuals() const override { return squares_; }
  std::optional<double> violation() const override { return 0.0; }
  void archive(Archive& archive) override;
  bool exact_primal() const override { return true; }
  int round_limit() const override { return 1000; }
  double projection_seconds() const override {
    return own_.seconds() + shared_.seconds() + alone_seconds_;
  }
  long local_iterations() const override { return iterations_; }
  StopOptions default_stop() const override;
  const PriorTerm* prior() const override { return nnls_.prior(); }
  void problem_changed() override;

 private:
  // One of the hosted images to solve for: that of an XRF site, or `other`.
  struct Member {
    std::size_t variable;  // index among the hosted variables
    double c;
    double tau;
    double weight;  // 1 / s_i^2
  };

  static bool uncoupled(const Member& m) { return m.c == 0; }
  std::vector<Member> make_members() const;
  std::vector<std::size_t> variables_with(bool data) const;
  std::vector<ImageOperator> own_matrices() const;
  std::vector<ImageOperator> shared_matrices() const;
  bool plain_matrices() const;
  std::vector<double> shared_alpha() const;
  void add_terms();
  void begin_second_stage();
  void begin_from_alone();
  void finish_uncoupled();
  void hold_strayed();
  void end_second_stage();
  void use_coupling_weight(double weight);
  void judge_xrt();
  void add_prior(const PriorFactory& factory);
  std::vector<std::size_t> member_columns() const;
  void fill_own_target();
  void read_own_data();
  void keep_own_products();
  void fill_shared_target();
  void start();
  void measure_own_residuals();
  int next_steps() const;
  void add_primal_dual(const std::vector<double>& weights);
  void take_local_steps(int steps);
  void start_primal_dual();
  void take_primal_dual_steps(int steps);
  void hold_finished(NoiseStop& stop, bool data);
  void count_unmet_columns();
  void put_transmission_column(std::span<const float> sum);
  bool own_weights() const;
  void weigh_own_operators();

  Problem& problem_;
  Collective& collective_;
  int local_steps_;             // 0: grows with the steps taken
  std::vector<double> levels_;  // discrepancy level of each hosted column
  double xrt_weight_;
  double noise_strength_;   // stop.noise
  bool by_noise_;           // it is in force
  double first_weight_;     // 1 / s_N^2 in the steps of the first stage
  double coupling_weight_;  // and of the current one
  bool balances_;           // in two stages
  bool prior_;              // also if this process hosts no member
  double step_factor_;
  std::vector<Member> members_;
  NoiseStop noise_;        // of the members with data
  NoiseStop other_noise_;  // of `other`
  NoiseStop xrt_noise_;    // of XRT, in the second stage
  bool fused_;             // A_i = A_N for all members: one term serves both
  Operators own_;
  Operators shared_;  // A_N for each member
  Nnls nnls_;
  std::unique_ptr<PrimalDual> primal_dual_;  // takes the steps, if there is little noise
  std::vector<double> tv_weights_;           // of each column, for primal_dual_
  std::size_t own_term_ = 0;
  std::size_t shared_term_ = 0;
  Sinograms own_data_;
  Sinograms own_products_;  // A_i w_i that the second stage fits; as own_data_ before it
  XrtResidual xrt_;
  Block message_;  // rays_N x slices: the share, then W e
  Block start_;    // images at the start of a round
  Block images_;
  std::vector<double> squares_;
  double step_squared_ = 0;
  double kkt_squared_ = 0;
  int rounds_ = 0;
  long iterations_ = 0;
  bool first_stage_done_ = false;
  bool second_stage_ = false;
  int stage_start_ = 0;  // iterations before the stage
  double alone_seconds_ = 0;
  bool started_ = false;  // with images given
  bool finished_ = false;
};

}  // namespace firm
