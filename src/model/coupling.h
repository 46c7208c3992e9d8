// Coupling: the linear constraint between the images of a pixel, D w = sum_v d_v w_v = 0.
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

// Steps are taken in the variables w_v / s_v, in which every site weighs the same; seen from w, a
// step and a correction of variable v are multiplied by s_v^2. (All s_v = 1 in the paper.)
class Coupling {
 public:
  // Makes the coupling of the hosted variables of a problem.
  explicit Coupling(const Problem& problem);

  // Computes S = sum_v d_v w_v over the hosted variables. S and T below are pixels x slices.
  void combine(const Block& w, std::span<float> s) const;

  // Computes S of v = w - step s^2 g. v is not stored: computing it again is faster than writing
  // and reading it.
  void combine_step(const Block& w, double step, const Block& g, std::span<float> s) const;

  struct Change {
    double step_squared = 0;       // ||(w_new - w) / s||^2
    double mapping_squared = 0;    // ||(w_new - w) / s^2||^2
    double size_squared = 0;       // ||w_new / s||^2
    double violation_squared = 0;  // ||sum_v d_v w_new||^2 over the hosted variables
    double last_squared = 0;       // ||w_new||^2 of the last hosted variable
  };
  // w <- (w - step s^2 g - factor s^2 d T)_+.
  Change correct(double step, const Block& g, double factor, std::span<const float> t, Block& w);

 private:
  Change add_up() const;

  std::size_t variables_;
  std::size_t slices_;
  int threads_;
  std::vector<double> weight_;  // 1 / s^2
  std::vector<float> d_;
  std::vector<float> square_;      // s^2
  std::vector<float> pull_;        // s^2 d
  std::vector<double> violation_;  // for each piece
  std::vector<double> steps_;      // ||w_new - w||^2 for each variable in each piece
  std::vector<double> sizes_;      // ||w_new||^2, likewise
};

}  // namespace firm
