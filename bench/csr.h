// A plain sparse matrix product, the yardstick of the projector benchmarks: A and a stored
// transpose in compressed rows, one OpenMP loop over rows, what a careful user would write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

struct Csr {
  std::vector<std::size_t> start;  // of each row, and the end
  std::vector<std::int32_t> column;
  std::vector<float> value;

  std::size_t rows() const { return start.size() - 1; }
  std::size_t bytes() const { return value.size() * 8 + start.size() * sizeof(std::size_t); }
  // y = M x, one column.
  void multiply(const Block& x, Block& y, int threads) const;
};

struct CsrPair {
  Csr forward;
  Csr adjoint;
};

// From Siddon's walk over all rays.
CsrPair make_csr(const Geometry& geometry);

}  // namespace firm
