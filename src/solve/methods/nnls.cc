#include "solve/methods/nnls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "firm/error.h"

namespace firm {
namespace {

// Relative rise that counts as rounding of single precision.
constexpr double kRounding = 1e-6;

template <typename PerColumn>
void fill_pattern(std::vector<float>& pattern, std::size_t columns, const PerColumn& value) {
  for (std::size_t j = 0; j < pattern.size(); ++j) {
    pattern[j] = static_cast<float>(value(j % columns));
  }
}

void copy_column(const Block& from, std::size_t column, Block& to) {
  for (std::size_t row = 0; row < from.rows(); ++row) to(row, column) = from(row, column);
}

}  // namespace

Nnls::Nnls(std::size_t pixels, std::size_t columns, bool momentum, int threads)
    : momentum_(momentum),
      w_(pixels, columns),
      before_(pixels, columns),
      gradient_(pixels, columns),
      loop_(pixels, columns, 3, threads),
      steps_(columns, 0.0),
      active_(columns, true),
      t_(columns, 1.0),
      beta_(columns, 0.0),
      had_momentum_(columns, false),
      value_(columns, 0.0),
      value_before_(columns, 0.0),
      beta_pattern_(loop_.period()),
      step_pattern_(loop_.period()),
      active_pattern_(loop_.period()) {}

std::size_t Nnls::add_term(Operators& operators, const std::vector<double>& alpha) {
  Term term;
  term.operators = &operators;
  term.product = term.before = term.residual = term.target = operators.make_sinograms();
  term.alpha = alpha;
  for (std::size_t g = 0; g < term.target.size(); ++g) {
    const Block& y = term.target[g];
    term.loops.emplace_back(y.rows(), y.columns(), 1, loop_.threads());
    term.alpha_pattern.emplace_back();
    term.beta_pattern.emplace_back(term.loops.back().period());
  }
  terms_.push_back(std::move(term));
  set_alpha(terms_.size() - 1, alpha);
  if (terms_.size() > 1 && part_.size() == 0) part_ = Block(w_.rows(), w_.columns());
  return terms_.size() - 1;
}

void Nnls::set_alpha(std::size_t number, const std::vector<double>& alpha) {
  Term& term = terms_[number];
  term.alpha = alpha;
  for (std::size_t g = 0; g < term.target.size(); ++g) {
    term.alpha_pattern[g] = term.loops[g].pattern(
        [&](std::size_t c) { return alpha[term.operators->image_column(g, c)]; });
  }
}

void Nnls::set_steps(double factor) {
  std::vector<double> hessian(w_.columns(), 0.0);
  bool by_pixel = false;
  for (const Term& term : terms_) {
    const std::vector<double>& lambda = term.operators->lambda_max();
    for (std::size_t c = 0; c < hessian.size(); ++c) {
      hessian[c] += 2 * term.alpha[c] * lambda[c];
      by_pixel = by_pixel || term.operators->curvature(c / term.operators->slices()).size() > 0;
    }
  }
  for (std::size_t c = 0; c < hessian.size(); ++c) {
    steps_[c] = hessian[c] > 0 ? factor / hessian[c] : 0;
  }
  if (by_pixel) set_pixel_steps(factor);
}

void Nnls::set_pixel_steps(double factor) {
  pixel_steps_ = Block(w_.rows(), w_.columns());
  std::vector<double> hessian(w_.rows());
  for (std::size_t c = 0; c < w_.columns(); ++c) {
    std::ranges::fill(hessian, 0.0);
    for (const Term& term : terms_) {
      const std::size_t slices = term.operators->slices();
      const Block& curvature = term.operators->curvature(c / slices);
      for (std::size_t p = 0; p < hessian.size(); ++p) {
        const double bound = curvature.size() > 0 ? static_cast<double>(curvature(p, c % slices))
                                                  : term.operators->lambda_max()[c];
        hessian[p] += 2 * term.alpha[c] * bound;
      }
    }
    // A pixel on no ray has no gradient: any step will do.
    for (std::size_t p = 0; p < hessian.size(); ++p) {
      pixel_steps_(p, c) = static_cast<float>(hessian[p] > 0 ? factor / hessian[p] : steps_[c]);
    }
  }
}

void Nnls::set_prior(std::unique_ptr<Prior> prior, std::vector<std::size_t> columns) {
  FIRM_CHECK(columns.size() == w_.columns());
  prior_ = std::move(prior);
  prior_term_ = {prior_.get(), std::move(columns), steps_};
  point_ = Block(w_.rows(), w_.columns());
}

double Nnls::prior_value() const {
  if (!prior_) return 0;
  std::vector<double> values(w_.columns(), 0.0);
  prior_->add_values(w_, values);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void Nnls::set_images(const Block& images, const std::vector<std::size_t>& columns) {
  FIRM_CHECK(images.rows() == w_.rows() && columns.size() == w_.columns());
  for (std::size_t p = 0; p < w_.rows(); ++p) {
    for (std::size_t c = 0; c < w_.columns(); ++c) w_(p, c) = images(p, columns[c]);
  }
  restart();
}

void Nnls::replace_images(Block images, const PrimalDual& dual) {
  FIRM_CHECK(images.rows() == w_.rows() && images.columns() == w_.columns());
  w_ = std::move(images);
  if (prior_) prior_->take_dual(dual.dual_between_rows(), dual.dual_between_columns());
  restart();
}

void Nnls::restart() {
  for (Term& term : terms_) term.operators->forward(w_, term.product);
  std::fill(t_.begin(), t_.end(), 1.0);
  std::fill(beta_.begin(), beta_.end(), 0.0);
  prior_term_.steps = steps_;
  step_squared_ = mapping_squared_ = kUnknownSquare;
  targets_changed();
}

// h(w) = sum_k || alpha_k A_k w - t_k ||^2 / alpha_k + R(w).
void Nnls::evaluate() {
  std::fill(value_.begin(), value_.end(), 0.0);
  if (prior_) prior_->add_values(w_, value_);
  for (Term& term : terms_) {
    for (std::size_t g = 0; g < term.target.size(); ++g) {
      const float* product = term.product[g].data();
      const float* target = term.target[g].data();
      const float* alpha = term.alpha_pattern[g].data();
      term.loops[g].run([=](std::size_t k, std::size_t j, float* sums) {
        const float r = alpha[j] * product[k] - target[k];
        sums[j] += r * r;
      });
      for (std::size_t c = 0; c < term.target[g].columns(); ++c) {
        const std::size_t column = term.operators->image_column(g, c);
        if (term.alpha[column] > 0) {
          value_[column] += term.loops[g].sum(0, c) / term.alpha[column];
        }
      }
    }
  }
}

void Nnls::revert(std::size_t column) {
  copy_column(before_, column, w_);
  for (Term& term : terms_) {
    for (std::size_t g = 0; g < term.target.size(); ++g) {
      for (std::size_t c = 0; c < term.target[g].columns(); ++c) {
        if (term.operators->image_column(g, c) == column) {
          copy_column(term.before[g], c, term.product[g]);
        }
      }
    }
  }
  value_[column] = value_before_[column];
  t_[column] = 1;
  beta_[column] = 0;
}

void Nnls::take_back_rises() {
  evaluate();
  if (known_value_) {
    for (std::size_t c = 0; c < value_.size(); ++c) {
      // A step without momentum lowers h up to rounding; undoing it would repeat it forever.
      if (had_momentum_[c] && value_[c] > value_before_[c] * (1 + kRounding)) revert(c);
    }
  }
  value_before_ = value_;
  known_value_ = true;
}

// gradient / 2 = sum_k A_k^T (alpha_k A_k y - t_k) at y = w + beta (w - w_before), or at w.
void Nnls::form_gradient(bool extrapolated) {
  for (std::size_t n = 0; n < terms_.size(); ++n) {
    Term& term = terms_[n];
    for (std::size_t g = 0; g < term.target.size(); ++g) {
      fill_pattern(term.beta_pattern[g], term.target[g].columns(), [&](std::size_t c) {
        return extrapolated ? beta_[term.operators->image_column(g, c)] : 0.0;
      });
      const float* product = term.product[g].data();
      const float* before = term.before[g].data();
      const float* target = term.target[g].data();
      const float* alpha = term.alpha_pattern[g].data();
      const float* beta = term.beta_pattern[g].data();
      float* residual = term.residual[g].data();
      term.loops[g].run([=](std::size_t k, std::size_t j, float*) {
        const float at_y = product[k] + beta[j] * (product[k] - before[k]);
        residual[k] = alpha[j] * at_y - target[k];
      });
    }
    term.operators->adjoint(term.residual, n == 0 ? gradient_ : part_);
    if (n > 0) {
      const float* part = part_.data();
      float* sum = gradient_.data();
      loop_.run([=](std::size_t k, std::size_t, float*) { sum[k] += part[k]; });
    }
  }
}

// Returns the step of each column; 0 for held columns, which do not move.
std::vector<double> Nnls::active_steps() const {
  std::vector<double> steps = steps_;
  for (std::size_t c = 0; c < steps.size(); ++c) steps[c] = active_[c] ? steps[c] : 0;
  return steps;
}

double Nnls::projected_gradient_squared() {
  form_gradient(false);
  if (prior_) {  // || (w - prox(w - t g)) / t ||^2
    const std::vector<double> steps = active_steps();
    for (std::size_t p = 0; p < w_.rows(); ++p) {
      for (std::size_t c = 0; c < w_.columns(); ++c) {
        point_(p, c) = w_(p, c) - static_cast<float>(2 * steps[c]) * gradient_(p, c);
      }
    }
    prior_->proximal_step(steps, point_);
    double sum = 0;
    for (std::size_t p = 0; p < w_.rows(); ++p) {
      for (std::size_t c = 0; c < w_.columns(); ++c) {
        if (!active_[c]) continue;
        const double r = static_cast<double>(w_(p, c) - point_(p, c)) / steps[c];
        sum += r * r;
      }
    }
    return sum;
  }
  const float* w = w_.data();
  const float* g = gradient_.data();
  loop_.run([=](std::size_t k, std::size_t j, float* sums) {
    const float free = w[k] > 0 || g[k] < 0 ? 2 * g[k] : 0.0f;
    sums[j] += free * free;
  });
  return loop_.total(0);
}

void Nnls::fill_step_patterns() {
  const std::size_t columns = w_.columns();
  fill_pattern(beta_pattern_, columns, [&](std::size_t c) { return beta_[c]; });
  fill_pattern(step_pattern_, columns, [&](std::size_t c) { return 2 * steps_[c]; });
  fill_pattern(active_pattern_, columns, [&](std::size_t c) { return active_[c] ? 1 : 0; });
}

// w+ = prox(y - step gradient), written over the image before.
void Nnls::move_with_prior() {
  fill_step_patterns();
  const std::size_t period = loop_.period();
  const float* beta = beta_pattern_.data();
  const float* step = step_pattern_.data();
  const float* active = active_pattern_.data();
  const float* w = w_.data();
  const float* g = gradient_.data();
  float* y = point_.data();
  float* out = before_.data();
  loop_.run([=](std::size_t k, std::size_t j, float*) {
    y[k] = w[k] + beta[j] * (w[k] - out[k]);
    out[k] = active[j] > 0 ? y[k] - step[j] * g[k] : w[k];
  });
  prior_->proximal_step(active_steps(), before_);
  loop_.run([=](std::size_t k, std::size_t j, float* sums) {
    const float change = out[k] - w[k];
    const float back = y[k] - out[k];
    sums[j] += change * change;
    sums[j + period] += back * change;
    sums[j + 2 * period] += back * back;
  });
  std::swap(w_, before_);
}

// w+ = (y - step gradient)_+, written over the image before. step_at(k, j) returns twice the step,
// and the step of the column over it: update_momentum() needs the sums in the norm of the steps.
template <typename StepAt>
void Nnls::move_by(const StepAt& step_at) {
  const std::size_t period = loop_.period();
  const float* beta = beta_pattern_.data();
  const float* active = active_pattern_.data();
  const float* w = w_.data();
  const float* g = gradient_.data();
  float* out = before_.data();
  loop_.run([=](std::size_t k, std::size_t j, float* sums) {
    const float y = w[k] + beta[j] * (w[k] - out[k]);
    const auto [step, ratio] = step_at(k, j);
    const float moved = y - step * g[k];
    const float clipped = moved > 0 ? moved : 0.0f;
    const float next = active[j] > 0 ? clipped : w[k];
    const float change = next - w[k];
    const float back = ratio * (y - next);
    sums[j] += change * change;
    sums[j + period] += back * change;
    sums[j + 2 * period] += back * back;
    out[k] = next;
  });
  std::swap(w_, before_);
}

void Nnls::move() {
  if (prior_) return move_with_prior();
  fill_step_patterns();
  const float* column = step_pattern_.data();
  if (pixel_steps_.size() == 0) {
    return move_by([=](std::size_t, std::size_t j) { return std::pair(column[j], 1.0f); });
  }
  const float* pixel = pixel_steps_.data();
  move_by([=](std::size_t k, std::size_t j) {
    const float step = 2 * pixel[k];
    return std::pair(step, step > 0 ? column[j] / step : 0.0f);
  });
}

void Nnls::update_momentum() {
  step_squared_ = 0;
  mapping_squared_ = 0;
  for (std::size_t c = 0; c < w_.columns(); ++c) {
    if (!active_[c]) continue;
    step_squared_ += loop_.sum(0, c);
    mapping_squared_ += loop_.sum(2, c) / (steps_[c] * steps_[c]);
    if (!momentum_) continue;
    had_momentum_[c] = beta_[c] > 0;
    if (loop_.sum(1, c) > 0) {  // <y - w+, w+ - w> > 0
      t_[c] = 1;
      beta_[c] = 0;
      continue;
    }
    const double next = (1 + std::sqrt(1 + 4 * t_[c] * t_[c])) / 2;
    beta_[c] = (t_[c] - 1) / next;
    t_[c] = next;
  }
}

void Nnls::step() {
  if (momentum_) take_back_rises();
  form_gradient(true);
  move();
  update_momentum();
  for (Term& term : terms_) {
    std::swap(term.product, term.before);
    term.operators->forward(w_, term.product);  // A w
  }
}

void Nnls::finish_steps() {
  if (momentum_) take_back_rises();
}

std::vector<std::size_t> Nnls::pixels_above_zero() {
  const float* w = w_.data();
  loop_.run([=](std::size_t k, std::size_t j, float* sums) { sums[j] += w[k] > 0 ? 1.0f : 0.0f; });
  std::vector<std::size_t> counts;
  for (std::size_t c = 0; c < w_.columns(); ++c) {
    counts.push_back(static_cast<std::size_t>(loop_.sum(0, c)));
  }
  return counts;
}

void Nnls::archive(Archive& archive) {
  archive.values("w", w_.values());
  archive.values("w_before", before_.values());
  if (prior_) prior_->archive(archive);
  archive.values("t", std::span<double>(t_));
  archive.values("beta", std::span<double>(beta_));
  archive.values("value_before", std::span<double>(value_before_));
  archive.flag("known_value", known_value_);
  archive.flags("active", active_);
  archive.flags("had_momentum", had_momentum_);
  archive.number("step_squared", step_squared_);
  archive.number("mapping_squared", mapping_squared_);
  for (std::size_t n = 0; n < terms_.size(); ++n) {
    for (std::size_t g = 0; g < terms_[n].product.size(); ++g) {
      const std::string at = fmt::format("term{}/group{}", n, g);
      archive.values(at + "/product", terms_[n].product[g].values());
      archive.values(at + "/before", terms_[n].before[g].values());
    }
  }
}

}  // namespace firm
