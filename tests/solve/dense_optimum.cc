#include "solve/dense_optimum.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "firm/projector.h"

namespace firm {
namespace {

// Lawson and Hanson's method for min ||M x - t||, x >= 0. The columns that are free to be positive
// form the set P; a column joins when the gradient says that it lowers the distance, and leaves
// when the least squares solution on P would make it negative.
class ActiveSet {
 public:
  ActiveSet(const Matrix& m, const Vector& t) : m_(m), t_(t), x_(Vector::Zero(m.cols())) {
    // Columns of length 1 make all gradients comparable.
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      const double norm = m.col(j).norm();
      scale_.push_back(norm > 0 ? 1 / norm : 0);
      m_.col(j) *= scale_.back();
    }
    state_.assign(scale_.size(), kZero);
  }

  Vector solve() {
    const int limit = 20 * static_cast<int>(x_.size()) + 20;
    for (int k = 0; k < limit; ++k) {
      const std::optional<std::size_t> joins = steepest();
      if (!joins) return unscaled();
      state_[*joins] = kFree;
      if (!settle(*joins)) state_[*joins] = kRefused;
    }
    throw std::runtime_error("the active set method does not end");
  }

 private:
  // kRefused: rounding alone made the gradient point inwards.
  enum State { kZero, kFree, kRefused };

  std::optional<std::size_t> steepest() const {
    const Vector g = m_.transpose() * (t_ - m_ * x_);
    double largest = 1e-13 * t_.norm();
    std::optional<std::size_t> found;
    for (std::size_t j = 0; j < state_.size(); ++j) {
      if (state_[j] != kZero || g[eigen_index(j)] <= largest) continue;
      largest = g[eigen_index(j)];
      found = j;
    }
    return found;
  }

  std::vector<Eigen::Index> free_columns() const {
    std::vector<Eigen::Index> columns;
    for (std::size_t j = 0; j < state_.size(); ++j) {
      if (state_[j] == kFree) columns.push_back(eigen_index(j));
    }
    return columns;
  }

  Vector least_squares(const std::vector<Eigen::Index>& columns) const {
    Vector s = Vector::Zero(x_.size());
    const Matrix free = m_(Eigen::all, columns);
    s(columns) = free.householderQr().solve(t_);
    return s;
  }

  // Moves x to the least squares solution on P, taking columns out of P as they reach 0. False
  // when the new column has to leave at once.
  bool settle(std::size_t joined) {
    for (bool first = true;; first = false) {
      const std::vector<Eigen::Index> columns = free_columns();
      const Vector s = least_squares(columns);
      if (first && s[eigen_index(joined)] <= 0) return false;
      // x goes towards s until the first column reaches 0.
      double alpha = 1;
      std::optional<Eigen::Index> blocks;
      for (const Eigen::Index j : columns) {
        if (s[j] > 0 || x_[j] / (x_[j] - s[j]) >= alpha) continue;
        alpha = x_[j] / (x_[j] - s[j]);
        blocks = j;
      }
      x_ += alpha * (s - x_);
      if (!blocks) break;
      leave(*blocks);
    }
    for (State& state : state_) state = state == kRefused ? kZero : state;
    return true;
  }

  void leave(Eigen::Index j) {
    state_[static_cast<std::size_t>(j)] = kZero;
    x_[j] = 0;
  }

  Vector unscaled() const {
    Vector x = x_;
    for (Eigen::Index j = 0; j < x.size(); ++j) x[j] *= scale_[static_cast<std::size_t>(j)];
    return x;
  }

  Matrix m_;
  Vector t_;
  Vector x_;
  std::vector<double> scale_;
  std::vector<State> state_;
};

}  // namespace

Matrix to_matrix(const Block& block) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(block.data(), eigen_index(block.rows()),
                                    eigen_index(block.columns()))
      .cast<double>();
}

Block to_block(const Matrix& matrix) {
  Block block(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t r = 0; r < block.rows(); ++r) {
    for (std::size_t c = 0; c < block.columns(); ++c) {
      block(r, c) = static_cast<float>(matrix(eigen_index(r), eigen_index(c)));
    }
  }
  return block;
}

Matrix dense_projector(const Geometry& geometry) {
  Block unit(geometry.pixels(), geometry.pixels());
  for (std::size_t p = 0; p < unit.rows(); ++p) unit(p, p) = 1;
  Block a(geometry.rays(), geometry.pixels());
  make_projector(geometry, {"reference", 1, 1})->forward(unit, a);
  return to_matrix(a);
}

Vector solve_nnls(const Matrix& m, const Vector& t) { return ActiveSet(m, t).solve(); }

double nnls_violation(const Matrix& m, const Vector& t, const Vector& x) {
  const Vector g = m.transpose() * (m * x - t);
  double worst = std::max(0.0, -x.minCoeff());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    worst = std::max(worst, x[j] > 0 ? std::abs(g[j]) : -g[j]);
  }
  return worst / std::max((m.transpose() * t).cwiseAbs().maxCoeff(), 1e-300);
}

DenseStudy::DenseStudy(const Study& s, const std::vector<SiteData>& data) : study(s) {
  for (std::size_t i = 0; i < s.sites.size(); ++i) {
    a.push_back(dense_projector(s.sites[i].geometry));
    weight.push_back(s.weight(i));
    if (s.sites[i].kind == SiteKind::kXrf) c.push_back(s.sites[i].coefficient);
  }
  if (s.other) c.push_back(1);
  for (const SiteData& d : data) {
    b.push_back(to_matrix(d.values));
    const Matrix ones = Matrix::Ones(b.back().rows(), b.back().cols());
    roots.push_back(d.weights.size() > 0 ? to_matrix(d.weights).cwiseSqrt() : ones);
  }
}

Matrix DenseStudy::residual(const Matrix& w, std::size_t i, bool root) const {
  const Matrix r = roots[i].cwiseProduct(a[i] * image(w, variable(i)) - b[i]);
  return root ? r : roots[i].cwiseProduct(r);
}

Matrix DenseStudy::gradient(const Matrix& w, std::size_t site) const {
  return 2 * weight[site] * a[site].transpose() * residual(w, site, false);
}

double DenseStudy::objective(const Matrix& w) const {
  double f = 0;
  for (std::size_t i = 0; i < sites(); ++i) f += weight[i] * residual(w, i, true).squaredNorm();
  return f;
}

double DenseStudy::objective_at_zero() const {
  return objective(Matrix::Zero(pixels(), eigen_index(c.size() + 1) * slices()));
}

Matrix DenseStudy::violation(const Matrix& w) const {
  Matrix dw = image(w, c.size());
  for (std::size_t v = 0; v < c.size(); ++v) dw -= c[v] * image(w, v);
  return dw;
}

// Rows of M: A_i / s_i for every XRF site, then (c_v A_N / s_N) over all variables.
DenseOptimum joint_optimum(const DenseStudy& dense) {
  const std::size_t xrt = dense.sites() - 1;
  const Eigen::Index n = dense.pixels();
  Eigen::Index rows = 0;
  for (const Matrix& a : dense.a) rows += a.rows();
  Matrix m = Matrix::Zero(rows, n * eigen_index(dense.c.size()));
  Matrix t(rows, dense.slices());
  Eigen::Index row = 0;
  for (std::size_t i = 0; i <= xrt; ++i) {
    const double root = std::sqrt(dense.weight[i]);
    const Matrix& a = dense.a[i];
    for (std::size_t v = 0; v < dense.c.size(); ++v) {
      const double factor = i == xrt ? dense.c[v] : (v == i ? 1 : 0);
      m.block(row, n * eigen_index(v), a.rows(), n) = root * factor * a;
    }
    t.middleRows(row, a.rows()) = root * dense.b[i];
    row += a.rows();
  }
  DenseOptimum best;
  best.images = Matrix::Zero(n, eigen_index(dense.c.size() + 1) * dense.slices());
  for (Eigen::Index z = 0; z < dense.slices(); ++z) {
    Vector roots(rows);
    row = 0;
    for (const Matrix& r : dense.roots) {
      roots.segment(row, r.rows()) = r.col(z);
      row += r.rows();
    }
    const Matrix mz = roots.asDiagonal() * m;
    const Vector tz = roots.cwiseProduct(t.col(z));
    const Vector x = solve_nnls(mz, tz);
    best.violation = std::max(best.violation, nnls_violation(mz, tz, x));
    const Eigen::Index last = eigen_index(dense.c.size()) * dense.slices() + z;
    for (std::size_t v = 0; v < dense.c.size(); ++v) {
      const auto part = x.segment(n * eigen_index(v), n);
      best.images.col(eigen_index(v) * dense.slices() + z) = part;
      best.images.col(last) += dense.c[v] * part;
    }
  }
  best.objective = dense.objective(best.images);
  best.multiplier = -dense.gradient(best.images, xrt);
  return best;
}

DenseOptimum separate_optimum(const DenseStudy& dense) {
  DenseOptimum best;
  best.images = Matrix::Zero(dense.pixels(), eigen_index(dense.c.size() + 1) * dense.slices());
  for (std::size_t i = 0; i < dense.sites(); ++i) {
    for (Eigen::Index z = 0; z < dense.slices(); ++z) {
      const Matrix m = dense.roots[i].col(z).asDiagonal() * dense.a[i];
      const Vector t = dense.roots[i].col(z).cwiseProduct(dense.b[i].col(z));
      const Vector x = solve_nnls(m, t);
      best.violation = std::max(best.violation, nnls_violation(m, t, x));
      best.images.col(eigen_index(dense.variable(i)) * dense.slices() + z) = x;
    }
  }
  best.objective = dense.objective(best.images);
  return best;
}

}  // namespace firm
