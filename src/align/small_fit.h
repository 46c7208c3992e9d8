// Least squares with a few unknowns.
#pragma once

#include <cstddef>
#include <vector>

namespace firm {

// x that minimises sum_k weights[k] (values[k] - sum_j basis[k * size + j] x[j])^2. Directions that
// the basis hardly tells apart stay near 0.
std::vector<double> weighted_fit(const std::vector<double>& basis, std::size_t size,
                                 const std::vector<double>& values,
                                 const std::vector<double>& weights);

// x with G x = h, G symmetric and positive semidefinite (size x size), by elimination. Adds
// 1e-6 of its largest diagonal entry to the diagonal.
std::vector<double> solve_normal(std::vector<double> g, std::vector<double> h);

}  // namespace firm
