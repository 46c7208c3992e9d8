#include "solve/absorption/absorption_start.h"

#include <algorithm>

#include "solve/methods/nnls.h"

namespace firm {
namespace {

constexpr int kSteps = 50;  // few, because more would fit the noise
constexpr float kMostFactor = 20;

bool hosts_xrt(const Problem& problem) {
  return problem.transmission() < problem.variables().size();
}

// sum_i c_i w_i of the hosted images, `other` included.
Block share_of_sum(const Problem& problem, const Block& images) {
  const std::size_t slices = problem.slices();
  Block sum(problem.pixels(), slices);
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    const Variable& variable = problem.variables()[v];
    if (variable.transmission) continue;
    const auto c = static_cast<float>(-variable.d);
    for (std::size_t p = 0; p < sum.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) sum(p, z) += c * images(p, v * slices + z);
    }
  }
  return sum;
}

}  // namespace

Block xrt_alone(Problem& problem) {
  const std::size_t xrt = problem.transmission();
  const std::size_t slices = problem.slices();
  const Geometry& geometry = problem.variables()[xrt].geometry;
  Operators matrix({ImageOperator(&geometry)}, slices, problem.threads());
  Block weights = problem.operators().roots(xrt);
  for (float& weight : weights.values()) weight *= weight;
  if (weights.size() > 0) matrix.weigh(0, weights);
  Nnls nnls(problem.pixels(), slices, true, problem.threads());
  nnls.add_term(matrix, std::vector<double>(slices, 1.0));
  problem.operators().get(problem.data(), xrt, nnls.target(0).front());
  const double step = 0.5 / matrix.lambda_max().front();
  for (std::size_t z = 0; z < slices; ++z) nnls.set_step(z, step);
  for (int k = 0; k < kSteps; ++k) nnls.step();
  nnls.finish_steps();
  return nnls.images();
}

Block publish_xrt(Problem& problem, Collective& collective) {
  Block image = hosts_xrt(problem) ? xrt_alone(problem) : Block(problem.pixels(), problem.slices());
  const NamedSums named(collective, "absorption-xrt");
  collective.sum(image.values(), {});
  return image;
}

Block start_factors(Problem& problem, const Block& images, Collective& collective) {
  const NamedSums named(collective, "absorption-start");
  Block sum = share_of_sum(problem, images);
  collective.sum_for(problem.study().xrt().name, sum.values());
  Block factors(sum.rows(), sum.columns());
  if (hosts_xrt(problem)) {
    const Block xrt = xrt_alone(problem);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      const float total = sum.data()[k];
      const float ratio = total > 0 ? xrt.data()[k] / total : 1.0f;
      factors.data()[k] = std::clamp(ratio, 0.0f, kMostFactor);
    }
  }
  collective.sum(factors.values(), {});
  return factors;
}

}  // namespace firm
