// StripPass: the strip kernels applied to a few columns at a time. Owns the scratch memory.
#pragma once

#include <cstddef>

#include "firm/block.h"

namespace firm {

// A contiguous range of columns of a Block: those of one pass.
struct ColumnRange {
  std::size_t begin;
  std::size_t count;
};

class StripPass {
 public:
  virtual ~StripPass() = default;

  // Columns that one call takes at most.
  virtual std::size_t columns() const = 0;
  // Whether it can take them from a Block of this many columns.
  virtual bool takes(std::size_t /*block_columns*/) const { return true; }
  virtual void forward(const Block& x, ColumnRange columns, Block& y) = 0;
  virtual void adjoint(const Block& y, ColumnRange columns, Block& x) = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace firm
