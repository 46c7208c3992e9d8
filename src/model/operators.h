// Operators: the matrices A_i of several images at once. Images with the same matrix share one
// projector, and one walk along the rays.
//
// Weights W of the values, a diagonal matrix, are part of the operator: with W^1/2 A and W^1/2 b in
// place of A and b, ||W^1/2 (A w - b)||^2 is a sum of plain squares again.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "firm/projector.h"
#include "model/projector_factory.h"

namespace firm {

// One Block (rays x columns) for each distinct matrix.
using Sinograms = std::vector<Block>;

// The matrix of one image: its rays, and the factory of their projectors. Null geometry: no matrix.
struct ImageOperator {
  ImageOperator(const Geometry* rays, const ProjectorFactory& factory = plain_projectors())
      : geometry(rays), projectors(&factory) {}

  const Geometry* geometry;  // copied by Operators
  const ProjectorFactory* projectors;
};

class Operators {
 public:
  // Image k has the columns k * slices .. (k + 1) * slices - 1 of a Block. Factories outlive this
  // object.
  Operators(const std::vector<ImageOperator>& images, std::size_t slices, int threads,
            const std::string& kernel = "auto");

  struct Group {
    std::vector<std::size_t> images;
    const ProjectorFactory* factory;
    std::unique_ptr<Projector> projector;
    Block columns;   // scratch, empty when the group has all columns in order
    Block roots;     // W^1/2, empty when all weights are 1
    Block weighted;  // scratch: W^1/2 y
  };
  const std::vector<Group>& groups() const { return groups_; }
  std::size_t slices() const { return slices_; }
  std::string kernel() const;

  Sinograms make_sinograms() const;
  // Column of a Block of images to which column `column` of group `group` belongs.
  std::size_t image_column(std::size_t group, std::size_t column) const;

  // Makes the operator of `image` W^1/2 A. `weights`, rays x slices, are in [0, 1], so that
  // lambda_max() remains a bound.
  void weigh(std::size_t image, const Block& weights);
  // Returns W^1/2 of an image, rays x slices; empty if all weights are 1.
  Block roots(std::size_t image) const;

  // Copies between one image's sinogram (rays x slices) and its columns of `all`.
  void put(const Block& one, std::size_t image, Sinograms& all) const;
  void get(const Sinograms& all, std::size_t image, Block& one) const;

  // y = A w.
  void forward(const Block& w, Sinograms& y);
  // x = A^T y; columns without a matrix become 0.
  void adjoint(const Sinograms& y, Block& x);

  // Time spent in forward and adjoint so far.
  double seconds() const { return seconds_; }

  // Returns lambda_max(A_i^T A_i), or a bound of it, of each column of images with all weights 1;
  // 0 for an image without a matrix. Computed at the first call, and at the first call after
  // forget_norms().
  const std::vector<double>& lambda_max();
  // Returns H of ProjectorFactory::curvature() for an image, pixels x slices; empty: lambda_max()
  // for all pixels.
  const Block& curvature(std::size_t image);
  // Call after the matrices that the factories make have changed.
  void forget_norms() { lambda_max_.clear(); }

 private:
  struct Place {
    std::size_t group;
    std::size_t first_column;
  };
  Place place(std::size_t image) const;
  void gather(const Block& w, Group& group);
  void scatter(const Group& group, Block& x);
  void measure_norms();
  void multiply_roots(const Group& group, const Block& from, Block& to) const;

  std::size_t images_;
  std::size_t slices_;
  int threads_;
  std::string kernel_;
  std::vector<Group> groups_;
  std::vector<double> lambda_max_;
  std::vector<Block> curvature_;  // of each group
  double seconds_ = 0;
};

}  // namespace firm
