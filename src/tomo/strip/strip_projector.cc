#include "tomo/strip/strip_projector.h"

#include <algorithm>
#include <utility>

#include "tomo/narrow/narrow_pass.h"
#include "tomo/strip/padded_pass.h"
#include "tomo/pair/pair_pass.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/wide/wide_pass.h"

namespace firm {
namespace {

constexpr int kLeastWide = 4;   // columns for which the wide kernels pay
constexpr int kMaxNarrow = 4;   // columns of a narrow pass; bounds its scratch memory
constexpr int kMaxMembers = 8;  // of a family: all symmetries of the square

// Where beamlets are so much wider than pixels that many lanes do not fit into a tile's margin, one
// lane does.
std::unique_ptr<StripPass> make_narrow_pass(const Geometry& geometry, const StripKernel& kernel,
                                            int threads, int columns) {
  StripPlan plan(geometry, kernel.lanes(), kMaxMembers);
  const auto n = static_cast<std::size_t>(std::min(columns, kMaxNarrow));
  if (plan.fits()) return std::make_unique<NarrowPass>(std::move(plan), kernel, threads, n);
  const StripKernel& scalar = scalar_kernel();
  return std::make_unique<NarrowPass>(StripPlan(geometry, scalar.lanes(), kMaxMembers), scalar,
                                      threads, n);
}

// Numbers of columns that the wide kernels take at once, largest first.
std::vector<int> wide_columns(int lanes, int most) {
  std::vector<int> sizes;
  for (const int n : {32, 16, 8, 4}) {
    if (n <= 2 * lanes && n >= kLeastWide && n <= most) sizes.push_back(n);
  }
  return sizes;
}

}  // namespace

StripProjector::StripProjector(const Geometry& geometry, const StripKernel& kernel, int threads,
                               int columns)
    : Projector(geometry), kernel_(kernel), wide_plan_(geometry, kernel.lanes()) {
  if (wide_plan_.fits()) add_wide_passes(threads, columns);
  const int rest =
      passes_.empty() ? columns : columns % static_cast<int>(passes_.back()->columns());
  const bool paired =
      kernel.pair.forward != nullptr && wide_plan_.fits() && PairPass::fits(geometry);
  if (paired && rest == kPairColumns - 1) {
    passes_.push_back(std::make_unique<PaddedPass>(wide_plan_, kernel, threads));
  }
  passes_.push_back(make_narrow_pass(geometry, kernel, threads, std::max(rest, 1)));
}

void StripProjector::add_wide_passes(int threads, int columns) {
  const auto block_columns = static_cast<std::size_t>(columns);
  for (const int n : wide_columns(kernel_.lanes(), columns)) {
    const auto pass_columns = static_cast<std::size_t>(n);
    if (n == kPairColumns && kernel_.pair.forward != nullptr) {
      if (!PairPass::fits(geometry())) continue;
      passes_.push_back(std::make_unique<PairPass>(wide_plan_, kernel_, threads, block_columns));
    } else {
      if (!scratch_) {
        scratch_ = std::make_unique<WideScratch>(geometry(), pass_columns, block_columns);
      }
      passes_.push_back(
          std::make_unique<WidePass>(wide_plan_, kernel_, threads, pass_columns, *scratch_));
    }
  }
}

std::size_t StripProjector::bytes() const {
  std::size_t sum = wide_plan_.bytes();
  if (scratch_) sum += (scratch_->pixels.size() + scratch_->rays.size()) * sizeof(float);
  for (const auto& pass : passes_) sum += pass->bytes();
  return sum;
}

// The first pass that does not take more columns than there are; the narrow one takes any number.
StripPass& StripProjector::pass_for(std::size_t columns, std::size_t block_columns) {
  for (const auto& pass : passes_) {
    if (pass->columns() <= columns && pass->takes(block_columns)) return *pass;
  }
  return *passes_.back();
}

void StripProjector::do_forward(const Block& x, Block& y) {
  for (std::size_t c = 0; c < x.columns();) {
    StripPass& pass = pass_for(x.columns() - c, x.columns());
    const std::size_t n = std::min(pass.columns(), x.columns() - c);
    pass.forward(x, {c, n}, y);
    c += n;
  }
}

void StripProjector::do_adjoint(const Block& y, Block& x) {
  for (std::size_t c = 0; c < x.columns();) {
    StripPass& pass = pass_for(x.columns() - c, x.columns());
    const std::size_t n = std::min(pass.columns(), x.columns() - c);
    pass.adjoint(y, {c, n}, x);
    c += n;
  }
}

}  // namespace firm
