// StripProjector: A and A^T without a stored matrix, by the strip kernels.
//
// A projector made for one or two columns uses the narrow kernels. A projector made for three or
// more uses the wide and the paired kernels, which add up in the same order whatever the number of
// columns; so the bytes of a column do not depend on the columns beside it. The two kinds round
// differently. Where the wide kernels cannot do the geometry, or the kernel has no vectors, all
// projectors use the narrow kernels.
//
// An attenuated projector takes the same kernels in the same order, but for the paired ones.
#pragma once

#include <memory>

#include "firm/projector.h"
#include "tomo/attenuated/held_views.h"
#include "tomo/strip/padded_pass.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_pass.h"
#include "tomo/wide/wide_pass.h"
#include "tomo/wide/wide_plan.h"

namespace firm {

class StripProjector final : public Projector {
 public:
  StripProjector(const Geometry& geometry, const StripKernel& kernel, int threads, int columns);
  // Attenuated: A_theta diag(T_theta). Blocks have the columns of `transmittance`.
  StripProjector(const Transmittance& transmittance, const StripKernel& kernel, int threads);

  // Whether a projector for this many columns uses the wide kernels.
  static bool uses_wide(const Geometry& geometry, const StripKernel& kernel, int columns);

  std::string kernel() const override { return kernel_.name; }
  std::size_t bytes() const override;

 private:
  void do_forward(const Block& x, Block& y) override;
  void do_adjoint(const Block& y, Block& x) override;

  // Calls visit(pass, range) for ranges that cover all columns of a Block. Makes the passes that it
  // needs; for a Block of as many columns as the projector was made for they exist already.
  template <class Visit>
  void cut(std::size_t columns, const Visit& visit);
  template <class Visit>
  void cut_wide(std::size_t columns, const Visit& visit);
  StripPass& wide();
  StripPass& few();
  StripPass& padded();

  void make_passes();

  const StripKernel& kernel_;
  int threads_;
  std::size_t columns_;                // that it was made for
  std::unique_ptr<HeldViews> held_;    // null: not attenuated
  std::unique_ptr<StripPass> narrow_;  // if not null, there is nothing else
  std::unique_ptr<WidePlan> plan_;
  std::size_t few_columns_ = 0;
  std::unique_ptr<StripPass> few_;  // for Blocks of few_columns_ columns
  std::unique_ptr<PaddedPass> padded_;
  std::unique_ptr<WidePass> wide_;  // 8 columns and more, of any Block
};

// Memory of plain projectors of one geometry, computed without making them.
class ProjectorScratch {
 public:
  explicit ProjectorScratch(const Geometry& geometry, const std::string& kernel = "auto");
  ~ProjectorScratch();
  ProjectorScratch(const ProjectorScratch&) = delete;
  ProjectorScratch& operator=(const ProjectorScratch&) = delete;

  // Projector::bytes() of a projector made for this many columns.
  std::size_t bytes(std::size_t columns) const;

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;  // null: the reference kernel, which has none
};

}  // namespace firm
