#include "solve/tv_reference.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

// Calls visit(group, from, to, scale) for each difference x[to] - x[from] of G: group = 3 * value +
// kind.
template <typename Visit>
void each_difference(const TvGrid& grid, const Visit& visit) {
  for (std::size_t r = 0; r < grid.rows; ++r) {
    for (std::size_t c = 0; c < grid.columns; ++c) {
      for (std::size_t z = 0; z < grid.slices; ++z) {
        const std::size_t here = grid.at(r, c, z);
        const auto add = [&](std::size_t kind, std::size_t to, double scale) {
          visit(eigen_index(3 * here + kind), eigen_index(here), eigen_index(to), scale);
        };
        if (r + 1 < grid.rows) add(0, grid.at(r + 1, c, z), 1);
        if (c + 1 < grid.columns) add(1, grid.at(r, c + 1, z), 1);
        if (z + 1 < grid.slices && grid.slice_scale > 0) {
          add(2, grid.at(r, c, z + 1), grid.slice_scale);
        }
      }
    }
  }
}

}  // namespace

Vector tv_gradient(const TvGrid& grid, const Vector& x) {
  Vector g = Vector::Zero(3 * x.size());
  each_difference(
      grid, [&](auto k, auto from, auto to, double scale) { g[k] = scale * (x[to] - x[from]); });
  return g;
}

Vector tv_adjoint(const TvGrid& grid, const Vector& p) {
  Vector x = Vector::Zero(eigen_index(grid.size()));
  each_difference(grid, [&](auto k, auto from, auto to, double scale) {
    x[to] += scale * p[k];
    x[from] -= scale * p[k];
  });
  return x;
}

Matrix tv_matrix(const TvGrid& grid) {
  const Eigen::Index n = eigen_index(grid.size());
  Matrix g = Matrix::Zero(3 * n, n);
  each_difference(grid, [&](auto k, auto from, auto to, double scale) {
    g(k, to) = scale;
    g(k, from) = -scale;
  });
  return g;
}

std::vector<double> tv_slice_values(const TvGrid& grid, const Vector& x) {
  const Vector g = tv_gradient(grid, x);
  std::vector<double> values(grid.slices, 0.0);
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    values[static_cast<std::size_t>(k) % grid.slices] += g.segment<3>(3 * k).norm();
  }
  return values;
}

double tv_value(const TvGrid& grid, const Vector& x) {
  double sum = 0;
  for (const double value : tv_slice_values(grid, x)) sum += value;
  return sum;
}

Vector TvReference::proximal_step(const Vector& v, double lambda, const std::vector<double>& steps,
                                  int inner) {
  const double largest = *std::max_element(steps.begin(), steps.end());
  const auto image = [&](const Vector& dual) -> Vector {
    const Vector adjoint = tv_adjoint(grid, dual);
    Vector x = v;
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double step = steps[static_cast<std::size_t>(k) % grid.slices];
      x[k] = std::max(0.0, v[k] - step * lambda * adjoint[k]);
    }
    return x;
  };
  Vector before = p;
  Vector r = p;
  double t = 1;
  for (int k = 0; k < inner && largest * lambda > 0; ++k) {
    before = p;
    p = r + tv_gradient(grid, image(r)) / (lambda * largest * grid.norm_squared());
    for (Eigen::Index j = 0; j < p.size(); j += 3) {
      p.segment<3>(j) /= std::max(1.0, p.segment<3>(j).norm());
    }
    const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    r = p + (t - 1) / next * (p - before);
    t = next;
  }
  Vector x = image(p);
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (steps[static_cast<std::size_t>(k) % grid.slices] == 0) x[k] = v[k];
  }
  return x;
}

Vector tv_variable(const TvGrid& grid, const Block& w, std::size_t variable) {
  Vector x(eigen_index(grid.size()));
  for (std::size_t p = 0; p < grid.pixels(); ++p) {
    for (std::size_t z = 0; z < grid.slices; ++z) {
      x[eigen_index(p * grid.slices + z)] = static_cast<double>(w(p, variable * grid.slices + z));
    }
  }
  return x;
}

void put_tv_variable(const TvGrid& grid, const Vector& x, std::size_t variable, Block& w) {
  for (std::size_t p = 0; p < grid.pixels(); ++p) {
    for (std::size_t z = 0; z < grid.slices; ++z) {
      w(p, variable * grid.slices + z) = static_cast<float>(x[eigen_index(p * grid.slices + z)]);
    }
  }
}

// Scaled form: y = d x with multiplier u, and a = x >= 0 with multiplier b.
Vector dense_tv_optimum(const Matrix& h, const Vector& g, const Matrix& d, const Vector& weight,
                        int iterations) {
  const double rho = h.diagonal().mean();
  const Eigen::Index n = h.rows();
  const Matrix sum = h + rho * (d.transpose() * d + Matrix::Identity(n, n));
  const Eigen::LLT<Matrix> factor(sum);
  Vector y = Vector::Zero(d.rows());
  Vector u = y;
  Vector a = Vector::Zero(n);
  Vector b = a;
  for (int k = 0; k < iterations; ++k) {
    const Vector x = factor.solve(g + rho * (d.transpose() * (y - u) + a - b));
    const Vector dx = d * x;
    y = dx + u;
    for (Eigen::Index j = 0; j < weight.size(); ++j) {
      const double length = y.segment<3>(3 * j).norm();
      const double less = weight[j] / rho;
      y.segment<3>(3 * j) *= length > less ? 1 - less / length : 0.0;
    }
    u += dx - y;
    a = (x + b).cwiseMax(0.0);
    b += x - a;
  }
  return a;
}

}  // namespace firm
