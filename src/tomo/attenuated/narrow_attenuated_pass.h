// NarrowAttenuatedPass: the narrow pass with T between image and kernels.
//
// forward:  a tile of the image is multiplied by T of each member of a family into scratch, where
//           the kernel of the plain projector finds it.
// adjoint:  the kernel multiplies what a family adds to a row of a tile by T.
// Families keep their shared weights, and every sum its order.
#pragma once

#include <functional>
#include <vector>

#include "firm/buffer.h"
#include "tomo/attenuated/held_views.h"
#include "tomo/narrow/narrow_layout.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

class NarrowAttenuatedPass final : public StripPass {
 public:
  // As for NarrowPass. `held` must outlive this.
  NarrowAttenuatedPass(StripPlan plan, const StripKernel& kernel, int threads, std::size_t columns,
                       HeldViews& held);

  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override;

 private:
  // Families [begin, end) of the plan, whose T is held.
  struct Families {
    std::size_t begin;
    std::size_t end;
  };
  struct Part {
    const NarrowLayout& layout;
    ColumnRange columns;
    int block;  // of slots
  };

  NarrowLayout lay_out(std::size_t columns);
  std::size_t hold(std::size_t begin);
  // Calls task(index, scratch) for index = 0..count-1.
  void each_task(std::size_t count, const std::function<void(std::size_t, float*)>& task);
  // The part of a tile within the frame of a slot, with its T.
  ScaleTile scale_tile(const Part& part, const Family& family, const Tile& tile, int slot) const;
  void forward_task(const Part& part, Families families, float* scratch);
  void scale(const Part& part, const Family& family, std::size_t tile, SlotRange slots,
             float* scratch) const;
  void adjoint_task(const Part& part, Families families, std::size_t tile);
  const std::uint16_t* row_of(const ScaleTile& tile, std::uint16_t* spread) const;

  StripPlan plan_;
  const StripKernel& kernel_;
  int threads_;
  HeldViews& held_;
  std::size_t laid_out_ = 0;  // columns of the last call
  Buffer<float> pixels_;
  Buffer<float> rays_;
  std::vector<Buffer<float>> scratch_;  // a tile for each thread; its margins stay zero
};

}  // namespace firm
