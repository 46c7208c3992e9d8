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
    smooth_ = data_;
  }
  collective.sum({}, levels_);
  const bool weighted = levels_.back() > 0;
  levels_.pop_back();
  if (weighted) plain_ = Block(data_.rows(), data_.columns());
}

void XrtResidual::read_data(const Problem& problem) {
  const std::size_t xrt = problem.transmission();
  if (xrt == problem.variables().size()) return;
  problem.operators().get(problem.data(), xrt, data_);
  take_weights_off(problem, data_);
  weights_ = problem.operators().roots(xrt);
  for (float& weight : weights_.values()) weight *= weight;
}

// Recovers b_N: the problem holds W^1/2 b_N.
void XrtResidual::take_weights_off(const Problem& problem, Block& values) const {
  const Block roots = problem.operators().roots(problem.transmission());
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const float root = roots.values()[k];
    if (root > 0) values.values()[k] /= root;
  }
}

void XrtResidual::set_smooth(const Problem& problem, const Block& weighted) {
  smooth_ = weighted;
  take_weights_off(problem, smooth_);
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
    if (!smooth_in_use_) {
      sum += static_cast<double>(e(ray, slice)) * static_cast<double>(weighted(ray, slice));
      continue;
    }
    const double weight = weights_.size() > 0 ? static_cast<double>(weights_(ray, slice)) : 1.0;
    const double of_data = static_cast<double>(e(ray, slice)) +
                           static_cast<double>(smooth_(ray, slice)) -
                           static_cast<double>(data_(ray, slice));
    sum += weight * of_data * of_data;
  }
  return sum;
}

std::vector<double> XrtResidual::squares(const Block& weighted, Collective& collective) const {
  std::vector<double> squares(data_.columns(), 0.0);
  // Only the process that hosts XRT knows how smooth values differ from b_N.
  const bool known = !smooth_in_use_ || smooth_.size() > 0;
  for (std::size_t z = 0; known && z < squares.size(); ++z) squares[z] = squared(weighted, z);
  if (smooth_in_use_) collective.sum({}, squares);
  return squares;
}

bool XrtResidual::met(double squared, std::size_t slice) const {
  return std::sqrt(squared) <= levels_[slice];
}

}  // namespace firm
