#include "solve/priors/tv_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

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

// `other` takes the data of XRT.
std::size_t variable_with_data(const Problem& problem, std::size_t variable) {
  return problem.variables()[variable].measured ? variable : problem.transmission();
}

}  // namespace

double rms_column_norm(const ImageOperator& matrix, std::size_t pixels, int threads) {
  const std::size_t own = matrix.projectors->columns();
  const std::size_t probes = own > 0 ? own : kProbes;
  Operators a({matrix}, probes, threads);
  Block v(pixels, probes);
  Sinograms y = a.make_sinograms();
  double sum = 0;
  for (std::size_t series = 0; series < kSeries; ++series) {
    fill_signs(series, v);
    a.forward(v, y);
    for (const float value : y.front().values()) {
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
  }
  return std::sqrt(sum / static_cast<double>(probes * kSeries * pixels));
}

std::vector<double> column_noise(const Problem& problem, double level, bool equal, bool guess) {
  const std::size_t slices = problem.slices();
  std::vector<double> noise;
  for (std::size_t c = 0; c < problem.columns(); ++c) {
    const std::size_t v = variable_with_data(problem, c / slices);
    const double largest = std::max(0.0, problem.largest()[v * slices + c % slices]);
    const Variable& of = problem.variables()[v];
    const bool known = guess || of.noise_source != NoiseSource::kGuessed;
    const double s = level > 0 ? level * largest : known ? of.sigma : 0;
    noise.push_back(s > 0 ? s : kLeastNoise * largest);
  }
  for (std::size_t first = 0; equal && first < noise.size(); first += slices) {
    const auto begin = noise.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(slices);
    const double squares = std::inner_product(begin, end, begin, 0.0);
    std::fill(begin, end, std::sqrt(squares / static_cast<double>(slices)));
  }
  return noise;
}

std::vector<double> unit_lambdas(const Problem& problem, const std::vector<double>& noise) {
  const std::vector<Variable>& variables = problem.variables();
  std::vector<double> norms;
  std::vector<double> lambdas;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& of = variables[variable_with_data(problem, v)];
    std::size_t same = 0;  // an earlier variable with the same matrix
    while (same < v && !(same_rays(variables[same].geometry, of.geometry) &&
                         variables[same].projectors == of.projectors)) {
      ++same;
    }
    const ImageOperator matrix{&of.geometry, *of.projectors};
    norms.push_back(same < v ? norms[same]
                             : rms_column_norm(matrix, problem.pixels(), problem.threads()));
    for (std::size_t z = 0; z < problem.slices(); ++z) {
      lambdas.push_back(2 * norms[v] * noise[v * problem.slices() + z] * of.weight);
    }
  }
  return lambdas;
}

}  // namespace firm
