#include "model/duality_gap.h"

#include <algorithm>

namespace firm {
namespace {

// A^T 1 of the hosted images.
Block ray_sums(Problem& problem) {
  Sinograms ones = problem.operators().make_sinograms();
  for (Block& group : ones) std::ranges::fill(group.values(), 1.0f);
  Block sums(problem.pixels(), problem.columns());
  problem.operators().adjoint(ones, sums);
  return sums;
}

// Column whose rays make a column feasible: its own, or that of XRT for `other`.
std::size_t repairing_column(const Problem& problem, std::size_t column) {
  const std::size_t slices = problem.slices();
  if (problem.variables()[column / slices].measured) return column;
  return problem.transmission() * slices + column % slices;
}

}  // namespace

std::optional<double> duality_gap(Problem& problem, const Sinograms& r, const Block& z,
                                  const std::vector<std::size_t>& columns) {
  const Block sums = ray_sums(problem);
  std::vector<double> delta(problem.columns(), 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::size_t to = repairing_column(problem, columns[k]);
    for (std::size_t p = 0; p < z.rows(); ++p) {
      if (z(p, k) >= 0) continue;
      if (!(sums(p, to) > 0)) return {};
      delta[to] =
          std::max(delta[to], -static_cast<double>(z(p, k)) / static_cast<double>(sums(p, to)));
    }
  }
  double gap = 0;
  for (std::size_t g = 0; g < r.size(); ++g) {
    for (std::size_t c = 0; c < r[g].columns(); ++c) {
      const std::size_t column = problem.operators().image_column(g, c);
      const double weight = problem.variables()[column / problem.slices()].weight;
      for (std::size_t ray = 0; ray < r[g].rows(); ++ray) {
        const auto residual = static_cast<double>(r[g](ray, c));
        const double y = 2 * residual + delta[column];
        gap += (residual * residual + y * y / 4) / weight +
               y * static_cast<double>(problem.data()[g](ray, c));
      }
    }
  }
  return gap;
}

}  // namespace firm
