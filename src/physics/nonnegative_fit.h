// Nonnegative least squares with few unknowns, from the normal equations.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace firm {

// min_{f >= 0} f^T G f - 2 h^T f, by active sets (Lawson and Hanson, Solving Least Squares
// Problems, 1974). G is n x n, symmetric, row by row. An unknown that is a combination of others,
// or whose G_ii is not positive, stays 0.
std::vector<double> nonnegative_fit(const std::vector<double>& G, const std::vector<double>& h);

// Variance of an unknown relative to that of a fit of it alone: G_ii times entry ii of the inverse
// of G. None if the unknown is a combination of others, or 0 everywhere.
std::optional<double> variance_inflation(const std::vector<double>& G, std::size_t n,
                                         std::size_t unknown);

}  // namespace firm
