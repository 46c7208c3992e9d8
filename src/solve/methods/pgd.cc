#include "solve/methods/pgd.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

// Weight 1 / s^2 of each hosted column.
std::vector<double> column_weights(const Problem& problem) {
  std::vector<double> weights;
  for (const Variable& v : problem.variables()) {
    weights.insert(weights.end(), problem.slices(), v.weight);
  }
  return weights;
}

}  // namespace

Pgd::Pgd(Problem& problem, const SolveOptions& options)
    : problem_(problem),
      levels_(discrepancy_levels(problem, options.stop.discrepancy)),
      nnls_(problem.pixels(), problem.columns(), options.pgd.accelerated, problem.threads()),
      residual_(problem),
      y_(problem.operators().make_sinograms()) {
  const std::vector<double> weights = column_weights(problem);
  nnls_.add_term(problem.operators(), weights);
  for (std::size_t g = 0; g < problem.data().size(); ++g) {
    Block& target = nnls_.target(0)[g];
    for (std::size_t ray = 0; ray < target.rows(); ++ray) {
      for (std::size_t c = 0; c < target.columns(); ++c) {
        const double weight = weights[problem.operators().image_column(g, c)];
        target(ray, c) = static_cast<float>(weight) * problem.data()[g](ray, c);
      }
    }
  }
  const double factor = options.pgd.accelerated ? 0.5 : 0.75;
  for (std::size_t c = 0; c < problem.columns(); ++c) {
    const std::size_t v = c / problem.slices();
    if (problem.variables()[v].measured) {
      nnls_.set_step(c, options.pgd.step_scale * factor / problem.curvature()[v]);
    } else {
      nnls_.hold(c);
    }
  }
}

void Pgd::share() {
  for (std::size_t g = 0; g < y_.size(); ++g) {
    std::copy(nnls_.product(0)[g].values().begin(), nnls_.product(0)[g].values().end(),
              y_[g].values().begin());
  }
  residual_.subtract_data(y_);
  squares_ = residual_.squares();
  scalars.objective = residual_.objective();
  scalars.step_squared = nnls_.step_squared();
  scalars.kkt_squared = nnls_.mapping_squared();
  scalars.unmet = count_unmet(squares_, levels_);
  for (std::size_t c = 0; c < squares_.size(); ++c) {
    if (levels_[c] > 0 && std::sqrt(squares_[c]) <= levels_[c]) nnls_.hold(c);
  }
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
}

}  // namespace firm
