// PaddedPass: three columns by the paired kernels, with a fourth that is zero. The copies cost less
// than three columns one by one.
#pragma once

#include "firm/block.h"
#include "tomo/pair/pair_pass.h"
#include "tomo/strip/strip_pass.h"

namespace firm {

class PaddedPass final : public StripPass {
 public:
  // As for PairPass.
  PaddedPass(const WidePlan& plan, const StripKernel& kernel, int threads);

  std::size_t columns() const override { return kPairColumns - 1; }
  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override;

 private:
  int threads_;
  PairPass pair_;
  Block pixels_;  // four columns, the last one zero
  Block rays_;
};

}  // namespace firm
