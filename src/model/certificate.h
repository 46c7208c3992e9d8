// Certificate: how far images are from optimal. By the paper's definition, images w are (eps_p,
// eps_s)-optimal if there is a mu with
//
//     w >= 0,   ||D w|| <= eps_p,   grad f(w) + D^T mu in -N(w) + B(eps_s).
//
// With mu = -g_N, g_N = (2 / s_N^2) A_N^T W (A_N w_N - b_N), site N is stationary by construction
// and site i shows the projected gradient of g_i + c_i g_N. So one sum in data space, of the
// residual of XRT, certifies the images of any method. (The same residual belongs to problem
// (modified_model): its gradient differs by D^T A^T (A D w - D b), which moves mu.) For sites that
// are solved alone (pgd, plsqr) there is no constraint and mu = 0.
#pragma once

#include "firm/block.h"
#include "firm/solution.h"
#include "model/prior.h"
#include "model/problem.h"

namespace firm {

class Collective;

// ||A^T b|| over all sites, each weighted with 1 / s_i^2.
double data_gradient_norm(Problem& problem, Collective& collective);

struct CertificateOptions {
  bool joint = true;          // whether the images are coupled
  bool exact_primal = false;  // D w = 0 by construction: no sum is spent on it
  double gradient_scale = 0;  // data_gradient_norm()
  // Adds R(w) to the objective; stationarity is then || (w - prox(w - t g)) / t ||, t the prior's
  // step.
  const PriorTerm* prior = nullptr;
  bool gap = false;  // bounds f(w) - min f; the same in all processes, also where `prior` is null
};

// Certifies the hosted images `w`; `mu`, pixels x slices, receives the multiplier. All processes of
// a run call it.
Certificate certify(Problem& problem, Collective& collective, const Block& w,
                    const CertificateOptions& options, Block& mu);

}  // namespace firm
