// PaddedPass: fewer columns than a pass takes. Copies them beside columns of zeros.
#pragma once

#include "firm/block.h"
#include "firm/geometry.h"
#include "tomo/strip/strip_pass.h"

namespace firm {

class PaddedPass final : public StripPass {
 public:
  // `pass` takes Blocks of `width` columns, at most 8; this takes 1 to `width` columns of any
  // Block. `pass` must outlive this.
  PaddedPass(StripPass& pass, const Geometry& geometry, std::size_t width, int threads);

  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override;  // without those of `pass`

  // bytes() of a pass, without making it.
  static std::size_t bytes_for(const Geometry& geometry, std::size_t width);

 private:
  StripPass& pass_;
  int threads_;
  Block pixels_;
  Block rays_;
};

}  // namespace firm
