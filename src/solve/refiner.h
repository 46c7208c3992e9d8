// Refiner: corrects what a study says about a scan (shifts, axis, scale, absorption) while it is
// solved.
//
// When the method has converged, the solver hands the images to every refiner, in order. A refiner
// that changes the problem makes the method go on from the images it has; the run ends when it has
// converged and no refiner changes anything.
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
  // all return the same: whether something has changed.
  virtual bool refine(Problem& problem, const Block& images, Collective& collective) = 0;
  // Names the parameters found so far, so that a checkpoint keeps them. When they are read back,
  // apply() puts them into force.
  virtual void archive(Archive& archive) = 0;
  virtual void apply(Problem& problem) = 0;
};

}  // namespace firm
