// The optimum of a small study, computed independently of the methods of src/solve: dense matrices
// in double precision, w_N eliminated, one non-negative least squares problem per slice, and the
// active set method of Lawson and Hanson (Solving Least Squares Problems, 1974, ch. 23).
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

#include "firm/geometry.h"
#include "firm/study.h"

namespace firm {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

inline Eigen::Index eigen_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Matrix to_matrix(const Block& block);
Block to_block(const Matrix& matrix);
// A, by applying the plain projector to every unit image.
Matrix dense_projector(const Geometry& geometry);

// min ||M x - t||, x >= 0, by the method of Lawson and Hanson.
Vector solve_nnls(const Matrix& m, const Vector& t);
// Largest violation of the optimality conditions of min ||M x - t||^2, x >= 0, relative to
// ||M^T t||: 0 at the optimum and nowhere else.
double nnls_violation(const Matrix& m, const Vector& t, const Vector& x);

// A study as dense matrices.
struct DenseStudy {
  DenseStudy(const Study& s, const std::vector<SiteData>& data);

  std::size_t sites() const { return study.sites.size(); }
  Eigen::Index pixels() const { return eigen_index(study.pixels()); }
  Eigen::Index slices() const { return eigen_index(study.slices); }
  // Columns of a variable within pixels x (variables x slices). `other` has number sites() - 1.
  auto image(const Matrix& w, std::size_t variable) const {
    return w.middleCols(eigen_index(variable) * slices(), slices());
  }
  // Returns the variable of a site.
  std::size_t variable(std::size_t site) const { return site + 1 == sites() ? c.size() : site; }

  // W (A_i w_i - b_i), or with the roots of W.
  Matrix residual(const Matrix& w, std::size_t i, bool root) const;
  // (2 / s_i^2) A_i^T W (A_i w_i - b_i).
  Matrix gradient(const Matrix& w, std::size_t site) const;
  double objective(const Matrix& w) const;
  // f(0), to which tolerances refer.
  double objective_at_zero() const;
  // D w.
  Matrix violation(const Matrix& w) const;

  Study study;
  std::vector<Matrix> a;
  std::vector<Matrix> b;       // rays x slices
  std::vector<Matrix> roots;   // W^1/2, the same
  std::vector<double> weight;  // 1 / s_i^2
  std::vector<double> c;       // of all variables but XRT
};

struct DenseOptimum {
  double objective = 0;
  Matrix images;         // pixels x (variables x slices)
  Matrix multiplier;     // mu* = -g_N, pixels x slices
  double violation = 0;  // of the optimality conditions
};

// min over w >= 0, D w = 0.
DenseOptimum joint_optimum(const DenseStudy& dense);

// Every site alone: min over w_i >= 0. `other` stays 0.
DenseOptimum separate_optimum(const DenseStudy& dense);

}  // namespace firm
