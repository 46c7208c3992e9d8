// Prior: a penalty R(w) that prefers likely images, in addition to w >= 0.
//
//     minimise   sum_i (1 / s_i^2) || A_i w_i - b_i ||^2 + sum_c R_c(w_c)
//
// A solver uses only the value and the proximal step of a prior, so a new prior is one class. If
// there is no prior, R = 0 and the proximal step is the projection onto w >= 0.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/archive.h"
#include "firm/block.h"
#include "model/problem.h"

namespace firm {

class Prior {
 public:
  virtual ~Prior() = default;

  // Adds R_c(w_c) to values[c], for each column c of `w`.
  virtual void add_values(const Block& w, std::span<double> values) = 0;
  // Replaces each column v_c of `w` by argmin_{x >= 0} R_c(x) + ||x - v_c||^2 / (2 steps[c]). A
  // step of 0 leaves the column as it is.
  virtual void proximal_step(std::span<const double> steps, Block& w) = 0;
  // Takes over the dual of differences between rows and columns from another method; priors without
  // one do nothing.
  virtual void take_dual(const Block& /*between_rows*/, const Block& /*between_columns*/) {}
  // Adds to each column of `z` an s with <s, x> <= R(x) for all x, close to equality at the result
  // of the last proximal step. Returns false, and adds nothing, if the prior knows none.
  virtual bool add_subgradient(Block& /*z*/) const { return false; }
  // Archives the state that the next step starts from (a dual variable), so that a checkpoint keeps
  // it.
  virtual void archive(Archive& archive) = 0;
};

// Makes a prior for images of these variables, each with `slices` columns: columns v * slices + z.
// An empty function means no prior.
using PriorFactory = std::function<std::unique_ptr<Prior>(const std::vector<Variable>& variables,
                                                          std::size_t slices)>;

// A prior and the columns of Problem's images that it acts on.
struct PriorTerm {
  Prior* prior = nullptr;
  std::vector<std::size_t> columns;  // columns[k]: image column of the prior's column k
  std::vector<double> steps;         // 1 / Lipschitz constant of the data terms, for each of them
};

}  // namespace firm
