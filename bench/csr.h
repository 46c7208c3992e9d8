// A plain sparse matrix product, the baseline of the projector benchmarks: A and its transpose in
// compressed rows, multiplied by one OpenMP loop over rows, as a careful user would write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"

namespace firm {

struct Csr {
  std::vector<std::size_t> start;  // of each row, and the end of the last
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

// Computes the entries with Siddon's algorithm.
CsrPair make_csr(const Geometry& geometry);

}  // namespace firm
