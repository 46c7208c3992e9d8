// WidePass: projects four columns or more by the wide kernels, straight from Block to Block.
//
// Copies the Block that it reads, with some room between its rows, only if rows of the image (or
// views of the sinogram) are about a power of two apart, so that they compete for the same places
// in the cache, or if image rows are very long.
//
// forward:  tasks of families each add up, tile after tile, the rays of their own views.
// adjoint:  tasks of image rows each add up, pair after pair, the pixels of their own rows.
// Every sum is formed by one task in a fixed order: no races, and no dependence on threads.
#pragma once

#include "firm/buffer.h"
#include "tomo/attenuated/held_views.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/wide/wide_plan.h"

namespace firm {

class WidePass final : public StripPass {
 public:
  // The plan must fit the wide kernels and outlive this. A call takes one or two vectors of
  // columns, or 8, at most `columns`. Room for copies is set aside as Blocks of `block_columns`
  // columns need it. If `held` is not null, the projection is attenuated.
  WidePass(const WidePlan& plan, const StripKernel& kernel, int threads, std::size_t columns,
           std::size_t block_columns, HeldViews* held = nullptr);

  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override;

  // bytes() of a pass, without making it.
  static std::size_t bytes_for(const Geometry& geometry, std::size_t columns,
                               std::size_t block_columns);

 private:
  // The columns of a Block that are read, or a copy of them.
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
  // Families, or pairs, from `begin` on whose T is held at once: all of them if not attenuated.
  std::size_t hold_families(std::size_t begin);
  std::size_t hold_pairs(std::size_t begin);
  WideTransmittance transmittance(ColumnRange columns) const;

  // Pairs [begin, end) of the plan, for some image rows.
  struct AdjointPart {
    std::size_t begin;
    std::size_t end;
    Range rows;
  };
  void adjoint_task(const Source& y, ColumnRange columns, Block& x, const AdjointPart& part) const;
  void adjoint_rows(const Source& y, ColumnRange columns, Block& x, const AdjointPart& part,
                    bool opposite) const;

  const WidePlan& plan_;
  const StripKernel& kernel_;
  int threads_;
  HeldViews* held_;
  // Copies; empty if not needed.
  Buffer<float> pixels_;
  Buffer<float> rays_;
};

}  // namespace firm
