// Refiner: corrects parameters of a scan (shifts, axis, scale, absorption) while the study is
// solved.
//
// When the method has converged, the solver hands the images to every refiner, in order. If a
// refiner changes the problem, the method continues from its current images. The run ends when the
// method has converged and no refiner changes anything.
#pragma once

#include "core/archive.h"
#include "model/collective.h"
#include "model/problem.h"

namespace firm {

class Refiner {
 public:
  virtual ~Refiner() = default;

  // Looks at the hosted images (pixels x Problem::columns()), adds to sums over the sites, and may
  // change data or matrices of the problem. Every process of a run calls it at the same time, and
  // all return the same value: true if something has changed.
  virtual bool refine(Problem& problem, const Block& images, Collective& collective) = 0;
  // Archives the parameters found so far, so that a checkpoint keeps them. After they are read
  // back, apply() applies them to the problem.
  virtual void archive(Archive& archive) = 0;
  virtual void apply(Problem& problem) = 0;
};

}  // namespace firm
