#include <cmath>

#include "solve/method.h"

namespace firm {

std::vector<double> discrepancy_levels(const Problem& problem, double s) {
  std::vector<double> levels;
  for (std::size_t c = 0; c < problem.columns(); ++c) {
    levels.push_back(problem.largest()[c] * std::sqrt(static_cast<double>(problem.rays()[c])) * s);
  }
  return levels;
}

std::vector<double> residual_levels(const Problem& problem, const StopOptions& stop) {
  if (stop.discrepancy > 0 || stop.noise == 0) return discrepancy_levels(problem, stop.discrepancy);
  std::vector<double> levels;
  for (std::size_t c = 0; c < problem.columns(); ++c) {
    const Variable& v = problem.variables()[c / problem.slices()];
    levels.push_back(v.sigma * std::sqrt(static_cast<double>(problem.rays()[c])));
  }
  return levels;
}

double full_scale(const Problem& problem, std::size_t variable) {
  const std::vector<double> levels = discrepancy_levels(problem, 1);
  double all = 0;
  for (std::size_t z = 0; z < problem.slices(); ++z) {
    all = std::hypot(all, levels[variable * problem.slices() + z]);
  }
  return all;
}

double count_unmet(const std::vector<double>& squares, const std::vector<double>& levels) {
  double unmet = 0;
  for (std::size_t c = 0; c < squares.size(); ++c) {
    if (std::sqrt(squares[c]) > levels[c]) unmet += 1;
  }
  return unmet;
}

}  // namespace firm
