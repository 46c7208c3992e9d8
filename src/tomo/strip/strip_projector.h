// StripProjector: A and A^T without a stored matrix, by the strip kernels.
#pragma once

#include <memory>
#include <vector>

#include "firm/projector.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/wide/wide_pass.h"
#include "tomo/wide/wide_plan.h"

namespace firm {

class StripProjector final : public Projector {
 public:
  StripProjector(const Geometry& geometry, const StripKernel& kernel, int threads, int columns);

  std::string kernel() const override { return kernel_.name; }
  std::size_t bytes() const override;

 private:
  void do_forward(const Block& x, Block& y) override;
  void do_adjoint(const Block& y, Block& x) override;

  void add_wide_passes(int threads, int columns);
  StripPass& pass_for(std::size_t columns, std::size_t block_columns);

  const StripKernel& kernel_;
  WidePlan wide_plan_;
  std::unique_ptr<WideScratch> scratch_;            // null without wide passes
  std::vector<std::unique_ptr<StripPass>> passes_;  // widest first
};

}  // namespace firm
