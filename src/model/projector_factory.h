// ProjectorFactory: makes the matrix A of an image.
//
// A site whose matrix entries are more than lengths of rays (self-absorption) has its own factory.
// Images share a projector, and one walk along the rays, when their rays and their factories are
// the same.
#pragma once

#include <memory>

#include "firm/block.h"
#include "firm/projector.h"

namespace firm {

class ProjectorFactory {
 public:
  virtual ~ProjectorFactory() = default;

  // Called again for other numbers of columns; all projectors of a factory represent the same
  // matrix.
  virtual std::unique_ptr<Projector> make(const Geometry& geometry,
                                          const ProjectorOptions& options) const = 0;
  // Number of columns that its projectors are for; 0: any.
  virtual std::size_t columns() const { return 0; }
  // lambda_max(A^T A), measured with a projector for one column.
  double lambda_max(const Geometry& geometry, const ProjectorOptions& options) const;
  // Diagonal of a matrix H >= A^T A, pixels x columns(), for a matrix whose columns differ much in
  // size: gradient steps then have a length for each pixel. Empty: lambda_max() for all pixels.
  virtual Block curvature(const Geometry& /*geometry*/, const ProjectorOptions& /*options*/) const {
    return {};
  }
};

// The default factory: exact lengths of rays within pixels, by make_projector().
const ProjectorFactory& plain_projectors();

}  // namespace firm
