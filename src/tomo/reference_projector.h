// ReferenceProjector: A and A^T by Siddon's walk, one thread, sums in double. For tests.
#pragma once

#include <vector>

#include "firm/projector.h"

namespace firm {

class ReferenceProjector final : public Projector {
 public:
  explicit ReferenceProjector(const Geometry& geometry);

  std::string kernel() const override { return "reference"; }
  std::size_t bytes() const override { return sum_.size() * sizeof(double); }

 private:
  struct Entry {
    std::size_t pixel;
    double length;
  };

  void do_forward(const Block& x, Block& y) override;
  void do_adjoint(const Block& y, Block& x) override;

  // The row of A of one ray.
  const std::vector<Entry>& trace(std::size_t angle, int beamlet);

  std::vector<Entry> row_;
  std::vector<double> sum_;  // of the columns of a Block of rays or pixels
};

}  // namespace firm
