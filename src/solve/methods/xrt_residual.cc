#include "solve/methods/xrt_residual.h"

#include <cmath>
#include <utility>

namespace firm {

XrtResidual::XrtResidual(const Problem& problem, const std::vector<double>& levels,
                         Collective& collective)
    : data_(problem.study().xrt().geometry.rays(), problem.slices()),
      levels_(problem.slices() + 1, 0.0) {
  const std::size_t xrt = problem.transmission();
  if (xrt < problem.variables().size()) {
    read_data(problem);
    for (std::size_t z = 0; z < problem.slices(); ++z) {
      levels_[z] = levels[xrt * problem.slices() + z];
    }
    levels_.back() = weights_.size() > 0 ? 1 : 0;
  }
  collective.sum({}, levels_);
  const bool weighted = levels_.back() > 0;
  levels_.pop_back();
  if (weighted) plain_ = Block(data_.rows(), data_.columns());
}

// Recovers b_N: the problem holds W^1/2 b_N.
void XrtResidual::read_data(const Problem& problem) {
  const std::size_t xrt = problem.transmission();
  if (xrt == problem.variables().size()) return;
  problem.operators().get(problem.data(), xrt, data_);
  const Block roots = problem.operators().roots(xrt);
  if (roots.size() == 0) return;
  weights_ = Block(roots.rows(), roots.columns());
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const float root = roots.values()[k];
    weights_.values()[k] = root * root;
    if (root > 0) data_.values()[k] /= root;
  }
}

void XrtResidual::weigh(Block& e, Collective& collective) {
  if (plain_.size() == 0) return;
  std::swap(e, plain_);
  const bool here = weights_.size() > 0;
  for (std::size_t k = 0; k < e.size(); ++k) {
    e.values()[k] = here ? weights_.values()[k] * plain_.values()[k] : 0.0f;
  }
  collective.sum(e.values(), {});
}

double XrtResidual::squared(const Block& weighted, std::size_t slice) const {
  const Block& e = plain_.size() > 0 ? plain_ : weighted;
  double sum = 0;
  for (std::size_t ray = 0; ray < e.rows(); ++ray) {
    sum += static_cast<double>(e(ray, slice)) * static_cast<double>(weighted(ray, slice));
  }
  return sum;
}

bool XrtResidual::met(double squared, std::size_t slice) const {
  return std::sqrt(squared) <= levels_[slice];
}

}  // namespace firm
