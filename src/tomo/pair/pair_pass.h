// PairPass: projects Blocks of four columns by the paired kernels.
//
// A Block is used where it is, unless its rows crowd each other in the cache; then it is copied,
// with some room between its rows.
//
// forward:  tasks of some families and some rays each add up, band after band, their own rays.
// adjoint:  tasks of image rows each add up, pair after pair, the pixels of their own rows.
// If the detector is centred, opposite rays (or rows) belong to the same task.
// Every sum is formed by one task in a fixed order: no races, and no dependence on threads.
#pragma once

#include "firm/buffer.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/wide/wide_plan.h"

namespace firm {

class PairPass final : public StripPass {
 public:
  // Whether offsets within the image fit into 32 bits.
  static bool fits(const Geometry& geometry);

  // The plan must fit the wide kernels, the geometry must fit, and the kernel must have paired
  // functions. The plan must outlive this. Blocks have four columns.
  PairPass(const WidePlan& plan, const StripKernel& kernel, int threads);

  void forward(const Block& x, ColumnRange columns, Block& y) override;
  void adjoint(const Block& y, ColumnRange columns, Block& x) override;
  std::size_t bytes() const override;

  // bytes() of a pass, without making it.
  static std::size_t bytes_for(const Geometry& geometry);

 private:
  // Part of the forward projection that one task does. Families are indices into the plan.
  struct Part {
    int family_begin;
    int family_end;
    Range rays;
    bool centred;  // and the opposite rays
  };

  PairImage source(const Block& block, std::size_t row_length, Buffer<float>& copy) const;
  void forward_task(const PairImage& x, Block& y, const Part& part) const;
  void forward_tile(PairForwardJob job, const Part& part) const;
  void adjoint_task(const PairImage& y, float* x, Range rows, bool centred) const;

  const WidePlan& plan_;
  const StripKernel& kernel_;
  int threads_;
  // Copies; empty if not needed.
  Buffer<float> pixels_;
  Buffer<float> rays_;
};

}  // namespace firm
