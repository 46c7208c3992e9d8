// StripPass: applies the strip kernels to a few columns of a Block. Owns the scratch memory.
#pragma once

#include <cstddef>

#include "firm/block.h"

namespace firm {

// A contiguous range of columns of a Block.
struct ColumnRange {
  std::size_t begin;
  std::size_t count;
  // If the Block is a copy of some columns, its first column in the original.
  std::size_t origin = 0;
};

class StripPass {
 public:
  virtual ~StripPass() = default;

  virtual void forward(const Block& x, ColumnRange columns, Block& y) = 0;
  virtual void adjoint(const Block& y, ColumnRange columns, Block& x) = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace firm
