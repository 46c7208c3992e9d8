// Total variation in double precision, by obvious code, to compare src/solve/priors with; and the
// optimum of small problems, computed by another algorithm.
#pragma once

#include <vector>

#include "solve/dense_optimum.h"
#include "solve/priors/tv.h"

namespace firm {

// One variable: rows x columns pixels, and slices. G has a group of three rows for each pixel of
// each slice: differences to the next row, column and slice, which may be 0.
struct TvGrid {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t slices = 1;
  double slice_scale = 0;

  std::size_t pixels() const { return rows * columns; }
  std::size_t size() const { return pixels() * slices; }
  // Index of a pixel of a slice among the values of the variable.
  std::size_t at(std::size_t row, std::size_t column, std::size_t slice) const {
    return (row * columns + column) * slices + slice;
  }
  double norm_squared() const { return slices > 1 ? 8 + 4 * slice_scale * slice_scale : 8; }
};

// G x and G^T p.
Vector tv_gradient(const TvGrid& grid, const Vector& x);
Vector tv_adjoint(const TvGrid& grid, const Vector& p);
Matrix tv_matrix(const TvGrid& grid);
// sum |G x| over groups of three, and the same for each slice.
double tv_value(const TvGrid& grid, const Vector& x);
std::vector<double> tv_slice_values(const TvGrid& grid, const Vector& x);

// The proximal step of TotalVariation, with one step length for each slice.
struct TvReference {
  explicit TvReference(const TvGrid& g) : grid(g), p(Vector::Zero(eigen_index(3 * g.size()))) {}

  Vector proximal_step(const Vector& v, double lambda, const std::vector<double>& steps, int inner);

  TvGrid grid;
  Vector p;
};

// Values of variable `variable` of a Block as one vector, and back.
Vector tv_variable(const TvGrid& grid, const Block& w, std::size_t variable);
void put_tv_variable(const TvGrid& grid, const Vector& x, std::size_t variable, Block& w);

// argmin_{x >= 0} x^T h x / 2 - <g, x> + sum_k weight_k |rows 3k to 3k + 2 of d x|, by the
// alternating direction method of multipliers with copies of x and of d x.
Vector dense_tv_optimum(const Matrix& h, const Vector& g, const Matrix& d, const Vector& weight,
                        int iterations = 20000);

}  // namespace firm
