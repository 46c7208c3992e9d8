// Duality gap: a bound of f(w) - min f that needs no optimum. With a prior R,
//
//     f(w) = sum_i (1 / s_i^2) || A_i w_i - b_i ||^2 + sum_i R_i(w_i),   w_i >= 0,
//
// any y_i with z_i = A_i^T y_i + c_i A_N^T y_N + p_i >= 0, where <p_i, x> <= R_i(x) for all x,
// gives min f >= D(y) = - sum_i (s_i^2 ||y_i||^2 / 4 + <y_i, b_i>). y_i = 2 (A_i w_i - b_i) / s_i^2
// is nearly feasible. Where z_i < 0, delta_i = max(-z_i / A_i^T 1) is added to all of y_i (to y_N
// for `other`, which has no data). `pgd` solves sites alone: then c_i = 0, and XRT is a site like
// the others.
#pragma once

#include <optional>
#include <vector>

#include "model/problem.h"

namespace firm {

// Returns the part of the hosted sites in f(w) - D(y), without the values of the prior; the parts
// of all sites add up. None if a pixel with z < 0 is on no ray. `r`: (A w - b) / s^2. `z`, with the
// column columns[k] of the problem's images in its column k, is 0 or more where y is feasible.
std::optional<double> duality_gap(Problem& problem, const Sinograms& r, const Block& z,
                                  const std::vector<std::size_t>& columns);

}  // namespace firm
