// Coupling: what ties the images of a pixel together, D w = sum_v d_v w_v.
//
// Each function is one pass over the images: every value is read once and written once. Sums over
// pixels are formed over fixed pieces, so that they do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "firm/block.h"
#include "model/problem.h"

namespace firm {

class Coupling {
 public:
  // For the hosted variables of a problem; `scale` multiplies all d.
  explicit Coupling(const Problem& problem, double scale = 1);

  // S = sum_v d_v w_v over the hosted variables. S and T below are pixels x slices.
  void combine(const Block& w, std::span<float> s) const;

  // v = w - step g, written over g, and S = sum_v d_v v_v.
  void gradient_step(const Block& w, double step, Block& g, std::span<float> s) const;

  struct Change {
    double step_squared = 0;       // ||w_new - w||^2
    double violation_squared = 0;  // ||sum_v d_v w_new||^2 over the hosted variables, without scale
    double size_squared = 0;       // ||w_new||^2
    double last_squared = 0;       // ||w_new||^2 of the last hosted variable
  };
  // w <- (v - factor d T)_+.
  Change correct(const Block& v, std::span<const float> t, double factor, Block& w);

 private:
  template <int kVariables>
  void gradient_step_of(const Block& w, float step, Block& g, float* s) const;
  template <int kVariables>
  Change correct_of(const Block& v, const float* t, float factor, Block& w);

  std::size_t variables_;
  std::size_t slices_;
  int threads_;
  double scale_;
  std::vector<float> d_;
  std::vector<Change> partial_;  // one per piece
};

}  // namespace firm
