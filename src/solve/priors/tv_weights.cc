#include "solve/priors/tv_weights.h"

#include <cmath>
#include <cstdint>

#include "solve/priors/ray_hash.h"

namespace firm {
namespace {

// E ||A v||^2 = ||A||_F^2 for random signs v (Hutchinson). A probe deviates by 2 to 5 %.
constexpr std::size_t kProbes = 4;  // at a time
constexpr std::size_t kSeries = 8;

constexpr double kLeastNoise = 1e-3;

void fill_signs(std::uint64_t series, Block& v) {
  for (std::size_t k = 0; k < v.size(); ++k) {
    v.values()[k] = (hashed(series, 0, k) & 1) != 0 ? 1.0f : -1.0f;
  }
}

}  // namespace

double rms_column_norm(const ImageOperator& matrix, std::size_t pixels, int threads) {
  Operators a({matrix}, kProbes, threads);
  Block v(pixels, kProbes);
  Sinograms y = a.make_sinograms();
  double sum = 0;
  for (std::size_t series = 0; series < kSeries; ++series) {
    fill_signs(series, v);
    a.forward(v, y);
    for (const float value : y.front().values()) {
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
  }
  return std::sqrt(sum / static_cast<double>(kProbes * kSeries * pixels));
}

double noise_of(const Problem& problem, std::size_t variable, double level, bool guess) {
  const Variable& own = problem.variables()[variable];
  const Variable& v = own.measured ? own : problem.variables()[problem.transmission()];
  const bool known = v.noise_source != NoiseSource::kGuessed;
  const double s = level > 0 ? level * v.peak : known || guess ? v.sigma : 0;
  return s > 0 ? s : kLeastNoise * v.peak;
}

std::vector<double> unit_lambdas(const Problem& problem, const std::vector<double>& noise) {
  const std::vector<Variable>& variables = problem.variables();
  std::vector<double> norms;
  std::vector<double> lambdas;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const std::size_t of = variables[v].measured ? v : problem.transmission();
    std::size_t same = 0;  // an earlier variable with the same matrix
    while (same < v && !(same_rays(variables[same].geometry, variables[v].geometry) &&
                         variables[same].projectors == variables[of].projectors)) {
      ++same;
    }
    const ImageOperator matrix{&variables[of].geometry, *variables[of].projectors};
    norms.push_back(same < v ? norms[same]
                             : rms_column_norm(matrix, problem.pixels(), problem.threads()));
    lambdas.push_back(2 * norms.back() * noise[v] * variables[of].weight);
  }
  return lambdas;
}

}  // namespace firm
