// The functions of the paper's analysis of FIRM, from dense matrices in double precision.
#pragma once

#include <cmath>
#include <vector>

#include "solve/dense_optimum.h"
#include "support/small_study.h"

namespace firm {

// F, Q and the augmented Lagrangian of a study with a common A, as functions of x_i = w_i / s_i: in
// these variables every site weighs the same, as in the paper, and D becomes D s.
class Penalty {
 public:
  explicit Penalty(const SmallStudy& small) : dense(small.study, small.data) {
    const Matrix& a = dense.a.front();
    lambda = Eigen::SelfAdjointEigenSolver<Matrix>(a.transpose() * a).eigenvalues().maxCoeff();
    db = dense.b.back();
    for (std::size_t i = 0; i < dense.sites(); ++i) {
      s.push_back(1 / std::sqrt(dense.weight[i]));
      ds.push_back(i < dense.c.size() ? -dense.c[i] * s[i] : s[i]);
      d_squared += ds[i] * ds[i];
      if (i < dense.c.size()) db -= dense.c[i] * dense.b[i];
    }
  }

  // x = w / s, and back.
  Matrix scaled(const Matrix& w) const {
    return each_site([&](std::size_t i) -> Matrix { return dense.image(w, i) / s[i]; });
  }
  Matrix unscaled(const Matrix& x) const {
    return each_site([&](std::size_t i) -> Matrix { return dense.image(x, i) * s[i]; });
  }

  // D s x = D w, and the transpose.
  Matrix d(const Matrix& x) const { return dense.violation(unscaled(x)); }
  Matrix d_transposed(const Matrix& y) const {
    return each_site([&](std::size_t i) -> Matrix { return ds[i] * y; });
  }
  Matrix ad(const Matrix& x) const { return dense.a.front() * d(x) - db; }

  double f(const Matrix& x) const {
    return dense.objective(unscaled(x)) - 0.5 * ad(x).squaredNorm();
  }
  double q(const Matrix& x, double eta) const { return f(x) + d(x).squaredNorm() / (4 * eta); }

  Matrix f_gradient(const Matrix& x) const {
    const Matrix w = unscaled(x);
    return each_site([&](std::size_t i) -> Matrix { return s[i] * dense.gradient(w, i); }) -
           d_transposed(dense.a.front().transpose() * ad(x));
  }
  Matrix q_gradient(const Matrix& x, double eta) const {
    return f_gradient(x) + d_transposed(d(x)) / (2 * eta);
  }

  // The bound of the paper on the largest eigenvalue of the Hessian of Q(.; eta).
  double smoothness(double eta) const { return 2 * lambda + d_squared / (2 * eta); }

  DenseStudy dense;
  double lambda;
  std::vector<double> s;
  std::vector<double> ds;  // d_i s_i
  double d_squared = 0;    // ||D s||^2, 1 + ||c||^2 in the paper
  Matrix db;               // D b

 private:
  template <typename Part>
  Matrix each_site(const Part& part) const {
    Matrix all(dense.pixels(), eigen_index(dense.sites()) * dense.slices());
    for (std::size_t i = 0; i < dense.sites(); ++i) {
      all.middleCols(eigen_index(i) * dense.slices(), dense.slices()) = part(i);
    }
    return all;
  }
};

}  // namespace firm
