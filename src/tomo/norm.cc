#include "firm/norm.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/interruption.h"

namespace firm {
namespace {

// The symmetric tridiagonal matrix of the Lanczos process: diagonal alpha, beside it beta.
struct Tridiagonal {
  std::vector<double> alpha;
  std::vector<double> beta;

  // Number of eigenvalues above x, by Sturm's sequence.
  int count_above(double x) const {
    int count = 0;
    double d = 1;
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      d = alpha[k] - x - (k > 0 ? beta[k - 1] * beta[k - 1] / d : 0);
      if (d == 0) d = -1e-300;
      if (d > 0) ++count;
    }
    return count;
  }

  double largest_eigenvalue() const {
    double low = 0;
    double high = 0;
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      const double left = k > 0 ? beta[k - 1] : 0;
      const double right = k < beta.size() ? beta[k] : 0;
      high = std::max(high, alpha[k] + left + right);  // Gershgorin
    }
    while (high - low > 1e-14 * high) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      (count_above(middle) > 0 ? low : high) = middle;
    }
    return high;
  }

  // |last component| of the unit eigenvector of the largest eigenvalue, by inverse iteration. The
  // shifted matrix is negative definite, so elimination needs no pivoting.
  double last_component(double eigenvalue) const {
    const std::size_t n = alpha.size();
    const double shift = eigenvalue * (1 + 1e-12);
    std::vector<double> v(n, 1.0);
    std::vector<double> pivot(n);
    for (int sweep = 0; sweep < 3; ++sweep) {
      for (std::size_t k = 0; k < n; ++k) {
        pivot[k] = alpha[k] - shift;
        if (k == 0) continue;
        const double factor = beta[k - 1] / pivot[k - 1];
        pivot[k] -= factor * beta[k - 1];
        v[k] -= factor * v[k - 1];
      }
      for (std::size_t k = n; k-- > 0;) {
        v[k] = (v[k] - (k + 1 < n ? beta[k] * v[k + 1] : 0)) / pivot[k];
      }
      double norm = 0;
      for (const double x : v) norm = std::hypot(norm, x);
      for (double& x : v) x /= norm;
    }
    return std::abs(v.back());
  }
};

double dot(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += static_cast<double>(a.data()[k]) * static_cast<double>(b.data()[k]);
  }
  return sum;
}

}  // namespace

SpectralNorm spectral_norm(Projector& projector, double tolerance, int max_iterations) {
  const Geometry& g = projector.geometry();
  Block previous(g.pixels(), 1);
  Block current(g.pixels(), 1);
  Block next(g.pixels(), 1);
  Block rays(g.rays(), 1);
  std::ranges::fill(current.values(),
                    static_cast<float>(1 / std::sqrt(static_cast<double>(g.pixels()))));

  Tridiagonal t;
  SpectralNorm result;
  while (result.iterations < max_iterations) {
    check_interruption();
    projector.forward(current, rays);
    projector.adjoint(rays, next);
    ++result.iterations;
    // next <- A^T A q_k - alpha_k q_k - beta_{k-1} q_{k-1}
    const double alpha = dot(next, current);
    const double before = t.beta.empty() ? 0 : t.beta.back();
    for (std::size_t k = 0; k < next.size(); ++k) {
      next.data()[k] -= static_cast<float>(alpha * static_cast<double>(current.data()[k]) +
                                           before * static_cast<double>(previous.data()[k]));
    }
    const double beta = std::sqrt(dot(next, next));
    t.alpha.push_back(alpha);
    result.lambda_max = t.largest_eigenvalue();
    if (result.lambda_max == 0) break;  // no ray meets the image
    result.relative_error = beta * t.last_component(result.lambda_max) / result.lambda_max;
    if (result.relative_error <= tolerance) break;
    t.beta.push_back(beta);
    for (float& x : next.values()) x = static_cast<float>(static_cast<double>(x) / beta);
    std::swap(previous, current);
    std::swap(current, next);
  }
  return result;
}

}  // namespace firm
