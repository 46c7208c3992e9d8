// The projection onto W = { w >= 0 : w_N = sum_{i<N} c_i w_i } by a general solver.
//
// The solver does not see that the problem is separable by pixel (solve/projection.h solves it
// exactly): it is given one quadratic programme over all pixels and sites,
//
//     min 1/2 ||w - v||^2   subject to   w_N - sum_{i<N} c_i w_i = 0 in every pixel,   w >= 0,
//
// as the paper gives it to Gurobi in FedPGD (eq. pgd_2). Here Ipopt stands for Gurobi: another
// interior-point method, with a sparse factorisation in every iteration. The library may have been
// built without it.
#pragma once

#include <span>
#include <string>

#include "firm/block.h"

namespace firm::paper {

// Whether the library was built with the solver.
bool has_general_projection();

// Its name and version, as in "Ipopt 3.11.9 with MUMPS"; "none" when built without.
std::string general_projection_solver();

struct GeneralProjection {
  double seconds;  // wall time in the solver
  int iterations;
};

// Replaces the values v (pixels x N, XRT last) by their projection. The solver stops when the
// residuals of the optimality conditions are at most `tolerance`: z_i w_i among them, with z_i >= 0
// the multiplier of w_i >= 0. So entries are right to about the tolerance where w_i or z_i is well
// away from zero, but only to about its square root where both are small, as they are where v = 0.
//
// Throws firm::Error when the library was built without the solver, and when the solver fails; v is
// unchanged then. One call at a time: the solver has global state.
GeneralProjection project_generally(std::span<const double> c, Block& v, double tolerance);

}  // namespace firm::paper
