#include "tomo/strip/strip_projector.h"

#include <algorithm>
#include <utility>

#include "firm/error.h"
#include "tomo/attenuated/narrow_attenuated_pass.h"
#include "tomo/kernel_choice.h"
#include "tomo/narrow/narrow_pass.h"
#include "tomo/pair/pair_pass.h"

namespace firm {
namespace {

constexpr std::size_t kLeastWide = 3;    // columns for which the wide kernels pay
constexpr std::size_t kMaxNarrow = 4;    // columns of a narrow pass; bounds its scratch memory
constexpr std::size_t kWideColumns = 8;  // of a wide pass, at the least
constexpr int kMaxMembers = 8;           // of a family: all symmetries of the square

struct NarrowPlan {
  StripPlan strips;
  const StripKernel* kernel;
};

// Where beamlets are so much wider than pixels that many lanes do not fit into a tile's margin, one
// lane does.
NarrowPlan make_narrow_plan(const Geometry& geometry, const StripKernel& kernel) {
  StripPlan plan(geometry, kernel.lanes(), kMaxMembers);
  if (plan.fits()) return {std::move(plan), &kernel};
  const StripKernel& scalar = scalar_kernel();
  return {StripPlan(geometry, scalar.lanes(), kMaxMembers), &scalar};
}

std::unique_ptr<StripPass> make_narrow_pass(const Geometry& geometry, const StripKernel& kernel,
                                            int threads, std::size_t columns, HeldViews* held) {
  NarrowPlan plan = make_narrow_plan(geometry, kernel);
  if (held == nullptr) {
    return std::make_unique<NarrowPass>(std::move(plan.strips), *plan.kernel, threads, columns);
  }
  return std::make_unique<NarrowAttenuatedPass>(std::move(plan.strips), *plan.kernel, threads,
                                                columns, *held);
}

// Null where the wide kernels cannot do the geometry.
std::unique_ptr<WidePlan> make_wide_plan(const Geometry& geometry, const StripKernel& kernel) {
  if (kernel.lanes() < kPairColumns) return nullptr;
  auto plan = std::make_unique<WidePlan>(geometry, kernel.lanes());
  if (!plan->fits()) plan.reset();
  return plan;
}

bool has_pairs(const StripKernel& kernel) { return kernel.pair.forward != nullptr; }

// Columns that the paired kernels take, or the wide ones where there are none.
std::size_t few_columns(const Geometry& geometry, const StripKernel& kernel, bool attenuated) {
  const bool four = !has_pairs(kernel) || (PairPass::fits(geometry) && !attenuated);
  return four ? kPairColumns : kWideColumns;
}

// Columns of a wide pass, at the most.
std::size_t most_wide(const StripKernel& kernel) {
  return 2 * static_cast<std::size_t>(kernel.lanes());
}

// Calls visit.few(range), visit.wide(range) and visit.padded(range) for ranges that cover all
// columns of a Block.
template <class Visit>
void cut_columns(std::size_t columns, std::size_t few, std::size_t most, Visit& visit) {
  if (columns == few) return visit.few(ColumnRange{0, columns});
  std::size_t c = 0;
  for (std::size_t width = most; width >= kWideColumns; width /= 2) {
    for (; c + width <= columns; c += width) visit.wide(ColumnRange{c, width});
  }
  // A wide pass over some columns once more takes less time than copies of more than a few.
  if (c > 0 && columns - c > few) {
    return visit.wide(ColumnRange{columns - kWideColumns, kWideColumns});
  }
  for (; c < columns; c += few) visit.padded(ColumnRange{c, std::min(few, columns - c)});
}

// The passes that cut_columns asks for.
struct PassesUsed {
  bool uses_few = false;
  bool uses_wide = false;
  bool uses_padded = false;
  void few(ColumnRange /*range*/) { uses_few = true; }
  void wide(ColumnRange /*range*/) { uses_wide = true; }
  void padded(ColumnRange /*range*/) { uses_padded = true; }
};

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
  few_columns_ = few_columns(geometry(), kernel_, held_ != nullptr);
  cut(columns_, [](StripPass&, ColumnRange) {});
}

StripPass& StripProjector::wide() {
  if (!wide_) {
    wide_ = std::make_unique<WidePass>(*plan_, kernel_, threads_, most_wide(kernel_), columns_,
                                       held_.get());
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
  struct {
    StripProjector& self;
    const Visit& visit;
    void few(ColumnRange range) { visit(self.few(), range); }
    void wide(ColumnRange range) { visit(self.wide(), range); }
    void padded(ColumnRange range) { visit(self.padded(), range); }
  } by_pass{*this, visit};
  cut_columns(columns, few_columns_, most_wide(kernel_), by_pass);
}

void StripProjector::do_forward(const Block& x, Block& y) {
  FIRM_CHECK(!held_ || x.columns() == columns_);
  cut(x.columns(), [&](StripPass& pass, ColumnRange columns) { pass.forward(x, columns, y); });
}

void StripProjector::do_adjoint(const Block& y, Block& x) {
  FIRM_CHECK(!held_ || y.columns() == columns_);
  cut(y.columns(), [&](StripPass& pass, ColumnRange columns) { pass.adjoint(y, columns, x); });
}

// ---- memory -----------------------------------------------------------------------------------

struct ProjectorScratch::Plans {
  const StripKernel& kernel;
  NarrowPlan narrow;
  std::unique_ptr<WidePlan> wide;  // null: the wide kernels cannot do the geometry
};

ProjectorScratch::ProjectorScratch(const Geometry& geometry, const std::string& kernel) {
  geometry.validate();
  const StripKernel* found = choose_kernel(kernel);
  if (found == nullptr) return;
  plans_.reset(
      new Plans{*found, make_narrow_plan(geometry, *found), make_wide_plan(geometry, *found)});
}

ProjectorScratch::~ProjectorScratch() = default;

std::size_t ProjectorScratch::bytes(std::size_t columns) const {
  if (!plans_) return columns * sizeof(double);  // of a ray or pixel, by the reference kernel
  if (columns < kLeastWide || !plans_->wide) {
    return NarrowPass::bytes_for(plans_->narrow.strips, std::min(columns, kMaxNarrow));
  }
  const StripKernel& kernel = plans_->kernel;
  const Geometry& g = plans_->wide->geometry();
  const std::size_t few = few_columns(g, kernel, false);
  PassesUsed used;
  cut_columns(columns, few, most_wide(kernel), used);
  std::size_t sum = plans_->wide->bytes();
  if (used.uses_wide) sum += WidePass::bytes_for(g, most_wide(kernel), columns);
  if (used.uses_padded) sum += PaddedPass::bytes_for(g, few);
  if (used.uses_few || used.uses_padded) {
    const bool pairs = has_pairs(kernel) && few == kPairColumns;
    sum += pairs ? PairPass::bytes_for(g) : WidePass::bytes_for(g, few, few);
  }
  return sum;
}

}  // namespace firm
