#include "solve/methods/firm_ds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "firm/error.h"
#include "solve/methods/alone.h"
#include "solve/priors/run_prior.h"
#include "solve/stop_rules.h"

namespace firm {
namespace {

constexpr int kStepsWithNoise = 8;  // few, because more steps would fit the noise
constexpr int kSteps = 75;
// Weight of XRT in the first stage, relative to its own, from which a second one changes little.
constexpr double kBalanced = 0.7;

int local_steps(const SolveOptions& options) {
  if (options.ds.local_steps > 0) return options.ds.local_steps;
  if (options.stop.discrepancy > 0) return kStepsWithNoise;
  return options.stop.noise > 0 ? 0 : kSteps;
}

// Longest step that does not raise the local problem, times its curvature: without momentum it may
// be up to 2.
double step_factor(const SolveOptions& options) { return options.stop.noise > 0 ? 1.5 : 1; }

double xrt_weight(const Study& study) { return study.weight(study.sites.size() - 1); }

std::vector<std::size_t> hosted_transmission(const Problem& problem) {
  if (problem.transmission() == problem.variables().size()) return {};
  return {problem.transmission()};
}

// 1 / s_N^2, with s_N at least c_i s_i of any XRF site.
double balanced_weight(const Study& study) {
  double weight = xrt_weight(study);
  for (std::size_t i = 0; i + 1 < study.sites.size(); ++i) {
    const double c = study.sites[i].coefficient;
    if (c == 0) continue;
    weight = std::min(weight, study.weight(i) / (c * c));
  }
  return weight;
}

}  // namespace

FirmDs::FirmDs(const MethodInput& input)
    : problem_(input.problem),
      collective_(input.collective),
      local_steps_(local_steps(input.options)),
      levels_(discrepancy_levels(problem_, input.options.stop.discrepancy)),
      xrt_weight_(xrt_weight(problem_.study())),
      noise_strength_(input.options.stop.noise),
      by_noise_(noise_strength_ > 0),
      first_weight_(by_noise_ ? balanced_weight(problem_.study()) : xrt_weight_),
      coupling_weight_(first_weight_),
      balances_(coupling_weight_ < kBalanced * xrt_weight_),
      prior_(bool(input.prior)),
      step_factor_(step_factor(input.options)),
      members_(make_members()),
      noise_(problem_, variables_with(true), noise_strength_),
      other_noise_(problem_, variables_with(false), noise_strength_),
      xrt_noise_(problem_, hosted_transmission(problem_), noise_strength_),
      fused_(problem_.study().common_geometry() && plain_matrices() && !own_weights()),
      own_(own_matrices(), problem_.slices(), problem_.threads()),
      shared_(shared_matrices(), problem_.slices(), problem_.threads()),
      nnls_(problem_.pixels(), members_.size() * problem_.slices(), !by_noise_, problem_.threads()),
      own_data_(own_.make_sinograms()),
      xrt_(problem_, levels_, collective_),
      message_(xrt_.rays(), problem_.slices()),
      start_(problem_.pixels(), members_.size() * problem_.slices()),
      images_(problem_.pixels(), problem_.columns()),
      squares_(problem_.columns(), 0.0) {
  weigh_own_operators();
  add_terms();
  nnls_.set_steps(step_factor_);
  read_own_data();
  if (input.prior) add_prior(input.prior);
  if (!input.primal_dual.empty() && !members_.empty()) add_primal_dual(input.primal_dual);
  if (input.start != nullptr) {
    if (!members_.empty()) nnls_.set_images(*input.start, member_columns());
    started_ = true;
  }
}

// Counts arrays of all images but XRT's. Each image has a term on the rays of XRT and one on its
// own rays, unless one term serves both.
MethodFootprint FirmDs::footprint(const SolveOptions& options, const HostedSize& size) {
  const bool one_term = size.common && !size.weighted;
  MethodFootprint f;
  f.held.images = 4 * size.members + size.images + (size.gathered ? size.members : 0) +
                  (one_term ? 0 : size.members);
  f.held.rays =
      4 * size.members * size.xrt_rays + (one_term ? 1 : 5) * size.member_rays + 2 * size.xrt_rays;
  if (size.weighted) f.held.rays += 2 * size.member_rays + 2 * size.xrt_rays;
  f.held.projectors = size.own_groups + 1;
  f.state = {2 * size.members, 2 * size.members * size.xrt_rays + 2 * size.member_rays};
  f.share = {0, size.xrt_rays};
  if (RunPrior::may_take_primal_dual(options)) PrimalDual::add_footprint(size, one_term, f);
  if (may_end_at_noise(options)) {
    f.held += alone_footprint(size);
    f.held.rays += size.member_rays;
    f.state.rays += size.member_rays + size.xrt_rays;
  }
  RunPrior::add_footprint(options, size, size.members, f);
  return f;
}

void FirmDs::problem_changed() {
  weigh_own_operators();
  own_.forget_norms();
  if (by_noise_) end_second_stage();
  nnls_.set_steps(step_factor_);
  read_own_data();
  xrt_.read_data(problem_);
  step_squared_ = kkt_squared_ = kUnknownSquare;
  noise_.restart(iterations_);
  other_noise_.restart(iterations_);
  for (std::size_t c = 0; c < members_.size() * problem_.slices(); ++c) nnls_.release(c);
  if (by_noise_) begin_from_alone();
  if (!members_.empty()) nnls_.restart();
}

// ||A_i w_i - b_i||^2 of the XRF sites.
void FirmDs::measure_own_residuals() {
  const Sinograms& products = nnls_.product(fused_ ? shared_term_ : own_term_);
  const std::size_t slices = problem_.slices();
  for (std::size_t g = 0; g < own_data_.size(); ++g) {
    const Block& b = own_data_[g];
    const Block& product = products[g];  // with one term, `other` may follow the sites' columns
    std::vector<double> sums(b.columns(), 0.0);
    for (std::size_t ray = 0; ray < b.rows(); ++ray) {
      for (std::size_t c = 0; c < b.columns(); ++c) {
        const double r = static_cast<double>(product(ray, c) - b(ray, c));
        sums[c] += r * r;
      }
    }
    for (std::size_t c = 0; c < b.columns(); ++c) {
      const std::size_t image_column = own_.image_column(g, c);
      squares_[members_[image_column / slices].variable * slices + image_column % slices] = sums[c];
    }
  }
}

void FirmDs::prepare() {
  if (iterations_ == 0 && !started_) start();
}

void FirmDs::share() {
  prepare();
  if (primal_dual_ && !primal_dual_->prepared()) start_primal_dual();
  const std::size_t slices = problem_.slices();
  parallel_rows(message_.rows(), problem_.threads(), [&](std::size_t ray) {
    for (std::size_t z = 0; z < slices; ++z) {
      double sum = -static_cast<double>(xrt_.target(ray, z));
      for (std::size_t k = 0; k < members_.size(); ++k) {
        const Block& product = nnls_.product(shared_term_).front();
        sum += members_[k].c * static_cast<double>(product(ray, k * slices + z));
      }
      message_(ray, z) = static_cast<float>(sum);
    }
  });
  measure_own_residuals();
  scalars = {};
  scalars.objective = nnls_.prior_value();
  for (const Member& m : members_) {
    for (std::size_t z = 0; z < slices; ++z) {
      const double square = squares_[m.variable * slices + z];
      scalars.objective += m.weight * square;
    }
  }
  count_unmet_columns();
  scalars.step_squared = step_squared_;
  scalars.kkt_squared = kkt_squared_;
}

void FirmDs::add_global_scalars() {
  xrt_.weigh(message_, collective_);
  const std::size_t xrt = problem_.transmission();
  const std::vector<double> squares = xrt_.squares(message_, collective_);
  for (std::size_t z = 0; z < problem_.slices(); ++z) {
    const double square = squares[z];
    scalars.objective += xrt_weight_ * square;
    if (!by_noise_ && !xrt_.met(square, z)) scalars.unmet += 1;
    if (xrt < problem_.variables().size()) squares_[xrt * problem_.slices() + z] = square;
  }
  if (rounds_ == 0) scalars.unmet += 1;  // the start fits more noise than a joint round
  judge_xrt();
  if (!balances_ || second_stage_) return;
  first_stage_done_ = scalars.unmet == 0;
  scalars.unmet += 1;
}

void FirmDs::update() {
  ++rounds_;
  if (first_stage_done_ && !second_stage_) begin_second_stage();
  if (members_.empty()) {
    iterations_ += next_steps();  // as at the other sites: stages end by their number
    return;
  }
  fill_shared_target();
  nnls_.targets_changed();
  // The gradient of the local problem at w^k is g_i + c_i g_N: that of the certificate.
  kkt_squared_ = nnls_.projected_gradient_squared();
  std::copy(nnls_.images().values().begin(), nnls_.images().values().end(),
            start_.values().begin());
  if (second_stage_) hold_strayed();
  if (!second_stage_ && other_noise_.due(iterations_)) hold_finished(other_noise_, false);
  take_local_steps(next_steps());
  step_squared_ = 0;
  for (std::size_t k = 0; k < start_.size(); ++k) {
    const double change = static_cast<double>(nnls_.images().values()[k] - start_.values()[k]);
    step_squared_ += change * change;
  }
}

// Fills the column of XRT with w_N = sum_i c_i w_i.
void FirmDs::put_transmission_column(std::span<const float> sum) {
  const std::size_t slices = problem_.slices();
  const std::size_t xrt = problem_.transmission();
  if (xrt == problem_.variables().size()) return;
  for (std::size_t p = 0; p < images_.rows(); ++p) {
    for (std::size_t z = 0; z < slices; ++z) images_(p, xrt * slices + z) = sum[p * slices + z];
  }
}

const Block& FirmDs::images() {
  const std::size_t slices = problem_.slices();
  for (std::size_t p = 0; p < images_.rows(); ++p) {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      for (std::size_t z = 0; z < slices; ++z) {
        images_(p, members_[k].variable * slices + z) = nnls_.images()(p, k * slices + z);
      }
    }
  }
  if (!finished_ && problem_.complete()) {
    LocalCollective alone;
    finish(alone);
    finished_ = false;
  }
  return images_;
}

void FirmDs::finish(Collective& collective) {
  const std::size_t slices = problem_.slices();
  std::vector<float> sum(problem_.pixels() * slices);
  parallel_rows(problem_.pixels(), problem_.threads(), [&](std::size_t p) {
    for (std::size_t z = 0; z < slices; ++z) {
      double total = 0;
      for (std::size_t k = 0; k < members_.size(); ++k) {
        total += members_[k].c * static_cast<double>(nnls_.images()(p, k * slices + z));
      }
      sum[p * slices + z] = static_cast<float>(total);
    }
  });
  collective.sum_for(problem_.study().xrt().name, sum);
  put_transmission_column(sum);
  finished_ = true;
}

StopOptions FirmDs::default_stop() const {
  StopOptions stop;
  stop.kkt = 1e-4;
  if (prior_) stop.change = 1e-4;
  return stop;
}

void FirmDs::archive(Archive& archive) {
  nnls_.archive(archive);
  archive.number("round/step_squared", step_squared_);
  archive.number("round/kkt_squared", kkt_squared_);
  archive.number("rounds", rounds_);
  noise_.archive(archive, "noise");
  other_noise_.archive(archive, "other_noise");
  xrt_noise_.archive(archive, "xrt_noise");
  archive.flag("second_stage", second_stage_);
  archive.flag("first_stage_done", first_stage_done_);
  archive.number("stage_start", stage_start_);
  if (balances_) {
    xrt_.archive(archive);
    for (std::size_t g = 0; g < own_products_.size(); ++g) {
      archive.values("own_products" + std::to_string(g), own_products_[g].values());
    }
  }
  if (second_stage_ && coupling_weight_ != xrt_weight_) {  // read back
    use_coupling_weight(xrt_weight_);
    xrt_.use_smooth(true);
    fill_own_target();
  }
  if (primal_dual_) primal_dual_->archive(archive);
  double iterations = static_cast<double>(iterations_);
  archive.number("iterations", iterations);
  if (prior_) archive.flag("started", started_);
  iterations_ = static_cast<long>(iterations);
}

}  // namespace firm
