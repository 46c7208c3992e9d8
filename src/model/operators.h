// Operators: the matrices A_i of several images at once, each image with its own geometry or with
// none. Images with the same rays share one projector, and one walk along the rays.
//
// Values that count more or less than others have weights W, a diagonal matrix: with
// W^1/2 A and W^1/2 b in place of A and b, ||W^1/2 (A w - b)||^2 is a sum of plain squares again.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "firm/projector.h"

namespace firm {

// One Block (rays x columns) for each distinct geometry.
using Sinograms = std::vector<Block>;

class Operators {
 public:
  // `geometries[k]` is that of image k, null for an image without an operator; image k has the
  // columns k * slices .. (k + 1) * slices - 1 of a Block. The geometries are copied.
  Operators(const std::vector<const Geometry*>& geometries, std::size_t slices, int threads,
            const std::string& kernel = "auto");

  struct Group {
    std::vector<std::size_t> images;
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

  // From now on the operator of `image` is W^1/2 A; `weights`, rays x slices, are in [0, 1], so
  // that lambda_max() remains a bound.
  void weigh(std::size_t image, const Block& weights);
  // W^1/2 of an image, rays x slices; no rows: all 1.
  Block roots(std::size_t image) const;

  // Copies between one image's sinogram (rays x slices) and its columns of `all`.
  void put(const Block& one, std::size_t image, Sinograms& all) const;
  void get(const Sinograms& all, std::size_t image, Block& one) const;

  // y = A w.
  void forward(const Block& w, Sinograms& y);
  // x = A^T y; columns without an operator become 0.
  void adjoint(const Sinograms& y, Block& x);

  // Time spent in forward and adjoint so far.
  double seconds() const { return seconds_; }

  // lambda_max(A_i^T A_i) of each image, weights being 1, 0 without an operator; computed at the
  // first call.
  const std::vector<double>& lambda_max();

 private:
  struct Place {
    std::size_t group;
    std::size_t first_column;
  };
  Place place(std::size_t image) const;
  void gather(const Block& w, Group& group);
  void scatter(const Group& group, Block& x);
  void multiply_roots(const Group& group, const Block& from, Block& to) const;

  std::size_t images_;
  std::size_t slices_;
  int threads_;
  std::vector<Group> groups_;
  std::vector<double> lambda_max_;
  double seconds_ = 0;
};

}  // namespace firm
