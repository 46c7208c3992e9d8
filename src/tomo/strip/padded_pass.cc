#include "tomo/strip/padded_pass.h"

#include <algorithm>

#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

void pad(const Block& from, ColumnRange columns, int threads, Block& to) {
  parallel_rows(from.rows(), threads, [&](std::size_t row) {
    const float* source = from.data() + row * from.columns() + columns.begin;
    std::copy_n(source, columns.count, to.data() + row * kPairColumns);
  });
}

void unpad(const Block& from, ColumnRange columns, int threads, Block& to) {
  parallel_rows(from.rows(), threads, [&](std::size_t row) {
    float* target = to.data() + row * to.columns() + columns.begin;
    std::copy_n(from.data() + row * kPairColumns, columns.count, target);
  });
}

}  // namespace

PaddedPass::PaddedPass(const WidePlan& plan, const StripKernel& kernel, int threads)
    : threads_(threads),
      pair_(plan, kernel, threads, kPairColumns),
      pixels_(plan.geometry().pixels(), kPairColumns),
      rays_(plan.geometry().rays(), kPairColumns) {}

// What a product leaves in the fourth column of its result is the product with zero.
void PaddedPass::forward(const Block& x, ColumnRange columns, Block& y) {
  FIRM_CHECK(columns.count == kPairColumns - 1);
  pad(x, columns, threads_, pixels_);
  pair_.forward(pixels_, {0, kPairColumns}, rays_);
  unpad(rays_, columns, threads_, y);
}

void PaddedPass::adjoint(const Block& y, ColumnRange columns, Block& x) {
  FIRM_CHECK(columns.count == kPairColumns - 1);
  pad(y, columns, threads_, rays_);
  pair_.adjoint(rays_, {0, kPairColumns}, pixels_);
  unpad(pixels_, columns, threads_, x);
}

std::size_t PaddedPass::bytes() const {
  return pair_.bytes() + (pixels_.size() + rays_.size()) * sizeof(float);
}

}  // namespace firm
