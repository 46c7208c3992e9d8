#include "tomo/strip/strip_projector.h"

#include <algorithm>
#include <utility>

#include "tomo/pair/pair_pass.h"

namespace firm {
namespace {

constexpr std::size_t kLeastWide = 3;    // columns for which the wide kernels pay
constexpr std::size_t kMaxNarrow = 4;    // columns of a narrow pass; bounds its scratch memory
constexpr std::size_t kWideColumns = 8;  // of a wide pass, at the least
constexpr int kMaxMembers = 8;           // of a family: all symmetries of the square

// Where beamlets are so much wider than pixels that many lanes do not fit into a tile's margin, one
// lane does.
std::unique_ptr<NarrowPass> make_narrow_pass(const Geometry& geometry, const StripKernel& kernel,
                                             int threads, std::size_t columns) {
  StripPlan plan(geometry, kernel.lanes(), kMaxMembers);
  if (plan.fits()) return std::make_unique<NarrowPass>(std::move(plan), kernel, threads, columns);
  const StripKernel& scalar = scalar_kernel();
  return std::make_unique<NarrowPass>(StripPlan(geometry, scalar.lanes(), kMaxMembers), scalar,
                                      threads, columns);
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
  if (columns_ >= kLeastWide) plan_ = make_wide_plan(geometry, kernel);
  if (!plan_) {
    narrow_ = make_narrow_pass(geometry, kernel, threads, std::min(columns_, kMaxNarrow));
    return;
  }
  const bool four = !has_pairs(kernel) || PairPass::fits(geometry);
  few_columns_ = four ? kPairColumns : kWideColumns;
  cut(columns_, [](StripPass&, ColumnRange) {});
}

StripPass& StripProjector::wide() {
  if (!wide_) {
    const auto most = 2 * static_cast<std::size_t>(kernel_.lanes());
    wide_ = std::make_unique<WidePass>(*plan_, kernel_, threads_, most, columns_);
  }
  return *wide_;
}

StripPass& StripProjector::few() {
  if (!few_ && has_pairs(kernel_) && few_columns_ == kPairColumns) {
    few_ = std::make_unique<PairPass>(*plan_, kernel_, threads_);
  } else if (!few_) {
    few_ = std::make_unique<WidePass>(*plan_, kernel_, threads_, few_columns_, few_columns_);
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
  cut(x.columns(), [&](StripPass& pass, ColumnRange columns) { pass.forward(x, columns, y); });
}

void StripProjector::do_adjoint(const Block& y, Block& x) {
  cut(y.columns(), [&](StripPass& pass, ColumnRange columns) { pass.adjoint(y, columns, x); });
}

}  // namespace firm
