// ProjectorFactory: makes the matrix A of an image.
//
// A site whose rays are not only lengths (self-absorption) has a factory of its own. Images share a
// projector, and one walk along the rays, when their rays and their factories are the same.
#pragma once

#include <memory>

#include "firm/projector.h"

namespace firm {

class ProjectorFactory {
 public:
  virtual ~ProjectorFactory() = default;

  // Called again for other numbers of columns: all projectors of a factory are the same matrix.
  virtual std::unique_ptr<Projector> make(const Geometry& geometry,
                                          const ProjectorOptions& options) const = 0;
};

// Exact lengths of rays within pixels: make_projector().
const ProjectorFactory& plain_projectors();

}  // namespace firm
