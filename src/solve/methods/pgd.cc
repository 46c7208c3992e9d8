#include "solve/methods/pgd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/priors/run_prior.h"

namespace firm {
namespace {

// Returns 1 / s^2 of each hosted column.
std::vector<double> column_weights(const Problem& problem) {
  std::vector<double> weights;
  for (const Variable& v : problem.variables()) {
    weights.insert(weights.end(), problem.slices(), v.weight);
  }
  return weights;
}

}  // namespace

Pgd::Pgd(const MethodInput& input)
    : problem_(input.problem),
      step_factor_(input.options.pgd.step_scale * (input.options.pgd.accelerated ? 1 : 1.5)),
      levels_(discrepancy_levels(problem_, input.options.stop.discrepancy)),
      noise_(problem_, measured_variables(problem_), input.options.stop.noise),
      nnls_(problem_.pixels(), problem_.columns(), input.options.pgd.accelerated,
            problem_.threads()),
      residual_(problem_),
      y_(problem_.operators().make_sinograms()) {
  nnls_.add_term(problem_.operators(), column_weights(problem_));
  fill_target();
  set_steps();
  std::vector<std::size_t> columns(problem_.columns());
  std::iota(columns.begin(), columns.end(), 0);
  if (input.prior) {
    nnls_.set_prior(input.prior(problem_.variables(), problem_.slices()), columns);
  }
  if (input.start != nullptr) nnls_.set_images(*input.start, columns);
}

MethodFootprint Pgd::footprint(const SolveOptions& options, const HostedSize& size) {
  MethodFootprint f;
  f.held = {(options.pgd.accelerated ? 3 : 2) * size.images, 5 * size.rays};
  f.state = {2 * size.images, 2 * size.rays};
  RunPrior::add_footprint(options, size, size.images, f);
  return f;
}

void Pgd::fill_target() {
  for (std::size_t g = 0; g < problem_.data().size(); ++g) {
    Block& target = nnls_.target(0)[g];
    for (std::size_t ray = 0; ray < target.rows(); ++ray) {
      for (std::size_t c = 0; c < target.columns(); ++c) {
        const std::size_t column = problem_.operators().image_column(g, c);
        const double weight = problem_.variables()[column / problem_.slices()].weight;
        target(ray, c) = static_cast<float>(weight) * problem_.data()[g](ray, c);
      }
    }
  }
}

void Pgd::set_steps() {
  nnls_.set_steps(step_factor_);
  for (std::size_t c = 0; c < problem_.columns(); ++c) {
    if (problem_.variables()[c / problem_.slices()].measured) {
      nnls_.release(c);
    } else {
      nnls_.hold(c);
    }
  }
}

void Pgd::problem_changed() {
  fill_target();
  set_steps();
  noise_.restart(rounds_);
  nnls_.restart();
}

void Pgd::share() {
  for (std::size_t g = 0; g < y_.size(); ++g) {
    std::copy(nnls_.product(0)[g].values().begin(), nnls_.product(0)[g].values().end(),
              y_[g].values().begin());
  }
  residual_.subtract_data(y_);
  squares_ = residual_.squares();
  scalars.objective = residual_.objective() + nnls_.prior_value();
  scalars.step_squared = nnls_.step_squared();
  scalars.kkt_squared = nnls_.mapping_squared();
  hold_finished();
}

void Pgd::hold_finished() {
  if (!noise_.on()) {
    scalars.unmet = count_unmet(squares_, levels_);
    for (std::size_t c = 0; c < squares_.size(); ++c) {
      if (levels_[c] > 0 && std::sqrt(squares_[c]) <= levels_[c]) nnls_.hold(c);
    }
    return;
  }
  if (noise_.due(rounds_)) {
    const std::vector<std::size_t> all = nnls_.pixels_above_zero();
    std::vector<std::size_t> pixels;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (problem_.variables()[c / problem_.slices()].measured) pixels.push_back(all[c]);
    }
    noise_.look(rounds_, squares_, pixels);
  }
  std::size_t number = 0;
  for (std::size_t c = 0; c < squares_.size(); ++c) {
    if (!problem_.variables()[c / problem_.slices()].measured) continue;
    if (noise_.done(number++)) nnls_.hold(c);
  }
  scalars.unmet = static_cast<double>(noise_.open());
}

void Pgd::update() {
  nnls_.step();
  nnls_.finish_steps();
  ++rounds_;
}

StopOptions Pgd::default_stop() const {
  StopOptions stop;
  stop.kkt = 1e-4;
  return stop;
}

void Pgd::archive(Archive& archive) {
  nnls_.archive(archive);
  archive.number("rounds", rounds_);
  noise_.archive(archive, "noise");
}

}  // namespace firm
