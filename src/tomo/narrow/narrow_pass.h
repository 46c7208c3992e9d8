// NarrowPass: projects a few columns by the narrow kernels. A column's bytes do not depend on the
// others.
//
// forward:  the image is packed into tiles; then tasks of (block of slots, families) each add up,
//           tile after tile, the rays of their own views; then rays go back to the Block.
// adjoint:  the sinogram is packed; then tasks of (block of slots, tile) each add up, family after
//           family, the pixels of their own tile; then tiles go back to the Block.
// Every sum is formed by one task in a fixed order: no races, and no dependence on threads.
#pragma once

#include <vector>

#include "firm/buffer.h"
#include "tomo/narrow/narrow_layout.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

// Families from `first` on that the adjoint kernel can take together.
int narrow_batch(const std::vector<Family>& families, std::size_t first);

class NarrowPass final : public StripPass {
 public:
  // The plan must fit (StripPlan::fits) and be made for the kernel's lanes. A call takes at most
  // `columns` columns.
  NarrowPass(StripPlan plan, const StripKernel& kernel, int threads, std::size_t columns);

  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override;

  // bytes() of a pass, without making it.
  static std::size_t bytes_for(const StripPlan& plan, std::size_t columns);

 private:
  // Whether a tile of the common grid has pixels of the frames of a family.
  bool meets(const Family& f, const Tile& tile) const;
  NarrowLayout lay_out(std::size_t columns);
  void forward_task(const NarrowLayout& layout, int block, std::size_t family_begin,
                    std::size_t family_end);
  void adjoint_task(const NarrowLayout& layout, int block, std::size_t tile);

  StripPlan plan_;
  const StripKernel& kernel_;
  int threads_;
  std::size_t laid_out_ = 0;  // columns of the last call
  Buffer<float> pixels_;
  Buffer<float> rays_;
};

}  // namespace firm
