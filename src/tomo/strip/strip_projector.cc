#include "tomo/strip/strip_projector.h"

#include <algorithm>
#include <utility>

#include "firm/error.h"
#include "tomo/attenuated/narrow_attenuated_pass.h"
#include "tomo/narrow/narrow_pass.h"
#include "tomo/pair/pair_pass.h"

namespace firm {
namespace {

constexpr std::size_t kLeastWide = 3;    // columns for which the wide kernels pay
constexpr std::size_t kMaxNarrow = 4;    // columns of a narrow pass; bounds its scratch memory
constexpr std::size_t kWideColumns = 8;  // of a wide pass, at the least
constexpr int kMaxMembers = 8;           // of a family: all symmetries of the square

// Where beamlets are so much wider than pixels that many lanes do not fit into a tile's margin, one
// lane does.
std::unique_ptr<StripPass> make_narrow_pass(const Geometry& geometry, const StripKernel& kernel,
                                            int threads, std::size_t columns, HeldViews* held) {
  StripPlan plan(geometry, kernel.lanes(), kMaxMembers);
  const StripKernel* fitting = &kernel;
  if (!plan.fits()) {
    fitting = &scalar_kernel();
    plan = StripPlan(geometry, fitting->lanes(), kMaxMembers);
  }
  if (held == nullptr) {
    return std::make_unique<NarrowPass>(std::move(plan), *fitting, threads, columns);
  }
  return std::make_unique<NarrowAttenuatedPass>(std::move(plan), *fitting, threads, columns, *held);
}

// Null where the wide kernels cannot do the geometry.
std::unique_ptr<WidePlan> make_wide_plan(const Geometry& geometry, const StripKernel& kernel) {
  if (kernel.lanes() < kPairColumns) return nullptr;
  auto plan = std::make_unique<WidePlan>(geometry, kernel.lanes());
  if (!plan->fits()) plan.reset();
  return plan;
}

bool has_pairs(const StripKernel& kernel) { return kernel.pair.forward != nullptr; }

}  // namespace

StripProjector::StripProjector(const Geometry& geometry, const StripKernel& kernel, int threads,
                               int columns)
    : Projector(geometry),
      kernel_(kernel),
      threads_(threads),
      columns_(static_cast<std::size_t>(columns)) {
  make_passes();
}

StripProjector::StripProjector(const Transmittance& transmittance, const StripKernel& kernel,
                               int threads)
    : Projector(transmittance.geometry()),
      kernel_(kernel),
      threads_(threads),
      columns_(transmittance.columns()),
      held_(std::make_unique<HeldViews>(transmittance, threads)) {
  make_passes();
}

bool StripProjector::uses_wide(const Geometry& geometry, const StripKernel& kernel, int columns) {
  return static_cast<std::size_t>(columns) >= kLeastWide &&
         make_wide_plan(geometry, kernel) != nullptr;
}

void StripProjector::make_passes() {
  if (columns_ >= kLeastWide) plan_ = make_wide_plan(geometry(), kernel_);
  if (!plan_) {
    narrow_ = make_narrow_pass(geometry(), kernel_, threads_, std::min(columns_, kMaxNarrow),
                               held_.get());
    return;
  }
  const bool four = !has_pairs(kernel_) || (PairPass::fits(geometry()) && !held_);
  few_columns_ = four ? kPairColumns : kWideColumns;
  cut(columns_, [](StripPass&, ColumnRange) {});
}

StripPass& StripProjector::wide() {
  if (!wide_) {
    const auto most = 2 * static_cast<std::size_t>(kernel_.lanes());
    wide_ = std::make_unique<WidePass>(*plan_, kernel_, threads_, most, columns_, held_.get());
  }
  return *wide_;
}

StripPass& StripProjector::few() {
  if (!few_ && has_pairs(kernel_) && few_columns_ == kPairColumns) {
    few_ = std::make_unique<PairPass>(*plan_, kernel_, threads_);
  } else if (!few_) {
    few_ = std::make_unique<WidePass>(*plan_, kernel_, threads_, few_columns_, few_columns_,
                                      held_.get());
  }
  return *few_;
}

StripPass& StripProjector::padded() {
  if (!padded_) {
    padded_ = std::make_unique<PaddedPass>(few(), geometry(), few_columns_, threads_);
  }
  return *padded_;
}

std::size_t StripProjector::bytes() const {
  std::size_t sum = 0;
  const auto add = [&](const auto& part) { sum += part ? part->bytes() : 0; };
  add(held_);
  add(narrow_);
  add(plan_);
  add(few_);
  add(padded_);
  add(wide_);
  return sum;
}

template <class Visit>
void StripProjector::cut(std::size_t columns, const Visit& visit) {
  if (plan_) return cut_wide(columns, visit);
  const std::size_t width = std::min(columns_, kMaxNarrow);
  for (std::size_t c = 0; c < columns; c += width) {
    visit(*narrow_, ColumnRange{c, std::min(width, columns - c)});
  }
}

template <class Visit>
void StripProjector::cut_wide(std::size_t columns, const Visit& visit) {
  if (columns == few_columns_) return visit(few(), ColumnRange{0, columns});
  std::size_t c = 0;
  for (auto width = 2 * static_cast<std::size_t>(kernel_.lanes()); width >= kWideColumns;
       width /= 2) {
    for (; c + width <= columns; c += width) visit(wide(), ColumnRange{c, width});
  }
  // A wide pass over some columns once more takes less time than copies of more than a few.
  if (c > 0 && columns - c > few_columns_) {
    return visit(wide(), ColumnRange{columns - kWideColumns, kWideColumns});
  }
  for (; c < columns; c += few_columns_) {
    visit(padded(), ColumnRange{c, std::min(few_columns_, columns - c)});
  }
}

void StripProjector::do_forward(const Block& x, Block& y) {
  FIRM_CHECK(!held_ || x.columns() == columns_);
  cut(x.columns(), [&](StripPass& pass, ColumnRange columns) { pass.forward(x, columns, y); });
}

void StripProjector::do_adjoint(const Block& y, Block& x) {
  FIRM_CHECK(!held_ || y.columns() == columns_);
  cut(y.columns(), [&](StripPass& pass, ColumnRange columns) { pass.adjoint(y, columns, x); });
}

}  // namespace firm
