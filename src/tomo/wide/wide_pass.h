// WidePass: four columns or more, by the wide kernels, straight from Block to Block.
//
// Only where the rows of the image (or the views of the sinogram) are a power of two apart, or
// nearly, so that they compete for the same places in the cache, or where image rows are very long,
// is the Block that is read first copied, with some room between its rows.
//
// forward:  tasks of families each add up, tile after tile, the rays of their own views.
// adjoint:  tasks of image rows each add up, pair after pair, the pixels of their own rows.
// Every sum is formed by one task in a fixed order: no races, and no dependence on threads.
#pragma once

#include "firm/buffer.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/wide/wide_plan.h"

namespace firm {

// Room for a copy of the image and of the sinogram; empty where none is needed.
struct WideScratch {
  // For Blocks of `block_columns` columns, of which up to `columns` are worked on at once.
  WideScratch(const Geometry& geometry, std::size_t columns, std::size_t block_columns);

  Buffer<float> pixels;
  Buffer<float> rays;
};

class WidePass final : public StripPass {
 public:
  // The plan must fit the wide kernels. `columns` are those of a call, as the kernels take them.
  // Plan and scratch must outlive this.
  WidePass(const WidePlan& plan, const StripKernel& kernel, int threads, std::size_t columns,
           WideScratch& scratch);

  std::size_t columns() const override { return columns_; }
  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override { return 0; }

 private:
  // What is read: the columns of a Block, or a copy of them.
  struct Source {
    const float* data;
    std::size_t stride;      // floats from one pixel or ray to the next
    std::size_t row_stride;  // floats from one image row or angle to the next
  };
  Source source(const Block& block, ColumnRange columns, std::size_t row_length,
                Buffer<float>& copy);

  void forward_task(const Source& x, ColumnRange columns, Block& y, std::size_t family_begin,
                    std::size_t family_end) const;
  void forward_tile(WideForwardJob job, std::size_t family_begin, std::size_t family_end) const;
  void adjoint_task(const Source& y, ColumnRange columns, Block& x, int row_begin,
                    int row_end) const;

  const WidePlan& plan_;
  const StripKernel& kernel_;
  int threads_;
  std::size_t columns_;
  WideScratch& scratch_;
};

}  // namespace firm
