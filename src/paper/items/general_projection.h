// Projection onto W = { w >= 0 : w_N = sum_{i<N} c_i w_i } by a general solver.
//
// The solver cannot exploit that the problem is separable by pixel (solve/methods/projection.h
// does, and solves it exactly): it gets one quadratic programme over all pixels and sites,
//
//     min 1/2 ||w - v||^2   subject to   w_N - sum_{i<N} c_i w_i = 0 in every pixel,   w >= 0,
//
// as Gurobi does in the paper's FedPGD (eq. pgd_2). Ipopt replaces Gurobi here: another
// interior-point method with a sparse factorisation in every iteration. It is an optional
// dependency.
#pragma once

#include <span>
#include <string>

#include "firm/block.h"

namespace firm::paper {

// Whether the library was built with the solver.
bool has_general_projection();

// Name and version of the solver, for instance "Ipopt 3.11.9 with MUMPS"; "none" if built without.
std::string general_projection_solver();

struct GeneralProjection {
  double seconds;  // wall time in the solver
  int iterations;
};

// Replaces the values v (pixels x N, XRT last) by their projection. The solver stops when the
// residuals of the optimality conditions are at most `tolerance`. One of them is z_i w_i, with
// z_i >= 0 the multiplier of w_i >= 0. So entries are accurate to about the tolerance where w_i or
// z_i is well away from zero, but only to about its square root where both are small, as at v = 0.
//
// Throws firm::Error if the library was built without the solver or the solver fails; v is then
// unchanged. Not thread-safe: the solver has global state.
GeneralProjection project_generally(std::span<const double> c, Block& v, double tolerance);

}  // namespace firm::paper
