#include "solve/priors/run_prior.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "firm/error.h"
#include "solve/priors/prior_strength.h"
#include "solve/priors/tv.h"
#include "solve/priors/tv_weights.h"

namespace firm {
namespace {

constexpr double kLowNoise = 0.0015;  // of the largest value

}  // namespace

RunPrior::RunPrior(Problem& problem, const SolveOptions& options)
    : problem_(problem),
      options_(options.prior),
      seed_(options.seed),
      noise_(column_noise(problem, options.stop.discrepancy, options.prior.slices,
                          options.prior.strength == 0)),
      unit_lambda_(unit_lambdas(problem, noise_)),
      strength_(options.prior.strength) {}

double RunPrior::slice_scale() const {
  const Study& study = problem_.study();
  if (!options_.slices) return 0;
  return study.slice_spacing > 0 ? study.pixel_size / study.slice_spacing : 1;
}

// Proximal gradient steps are slow where there is hardly any noise. PrimalDual needs plain matrices
// and values of equal weight. All sites take the same, whichever process hosts them.
void RunPrior::agree_on_solver(Collective& collective) {
  double refusals = options_.slices ? 1 : 0;
  for (std::size_t c = 0; c < problem_.columns(); ++c) {
    const std::size_t v = c / problem_.slices();
    const Variable& variable = problem_.variables()[v];
    if (!variable.measured) continue;
    const bool plain =
        variable.projectors == &plain_projectors() && problem_.operators().roots(v).size() == 0;
    const bool low = noise_[c] > 0 && noise_[c] <= kLowNoise * problem_.largest()[c];
    if (!plain || !low) refusals += 1;
  }
  collective.sum({}, std::span(&refusals, 1));
  low_noise_ = refusals == 0;
}

bool RunPrior::may_take_primal_dual(const SolveOptions& options) {
  return has_prior(options) && !options.prior.slices && options.stop.discrepancy <= kLowNoise;
}

std::vector<double> RunPrior::primal_dual() const {
  std::vector<double> weights;
  if (!low_noise_) return weights;
  for (const double unit : unit_lambda_) weights.push_back(strength_ * unit);
  return weights;
}

void RunPrior::choose(Collective& collective, Archive* resume) {
  agree_on_solver(collective);
  if (options_.strength > 0) return;
  if (resume != nullptr) {
    for (const double rho : strength_grid()) curve_.push_back({rho, 0});
    return archive(*resume);
  }
  FoundStrength found = find_strength(
      {problem_, noise_, unit_lambda_, seed_, options_.inner, slice_scale()}, collective);
  strength_ = found.strength;
  curve_ = std::move(found.curve);
  start_ = std::move(found.images);
}

PriorFactory RunPrior::factory() const {
  return [this](const std::vector<Variable>& variables, std::size_t slices) {
    TvOptions tv;
    tv.image_rows = problem_.study().image_rows;
    tv.image_columns = problem_.study().image_columns;
    tv.slices = slices;
    for (const Variable& v : variables) {
      const auto at = std::ranges::find(problem_.variables(), v.slot, &Variable::slot);
      FIRM_CHECK(at != problem_.variables().end());
      const auto number = static_cast<std::size_t>(at - problem_.variables().begin());
      for (std::size_t z = 0; z < slices; ++z) {
        tv.lambda.push_back(strength_ * unit_lambda_[number * slices + z]);
      }
    }
    tv.inner = options_.inner;
    tv.slice_scale = slice_scale();
    tv.threads = problem_.threads();
    return std::make_unique<TotalVariation>(tv);
  };
}

void RunPrior::archive(Archive& archive) {
  if (options_.strength > 0) return;
  std::vector<double> errors;
  for (const PriorSummary::Point& point : curve_) errors.push_back(point.error);
  archive.number("prior/strength", strength_);
  archive.values("prior/errors", std::span<double>(errors));
  for (std::size_t k = 0; k < errors.size(); ++k) curve_[k].error = errors[k];
}

PriorSummary RunPrior::summary(const PriorTerm* term) const {
  PriorSummary s{options_.kind, strength_, options_.strength == 0, curve_, {}, {}};
  s.solver = low_noise_ ? "primal-dual" : "proximal gradient";
  for (std::size_t v = 0; v < problem_.variables().size() && term != nullptr; ++v) {
    const std::size_t column = v * problem_.slices();
    if (std::ranges::find(term->columns, column) == term->columns.end()) continue;
    const auto first = unit_lambda_.begin() + static_cast<std::ptrdiff_t>(column);
    const double sum =
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(problem_.slices()), 0.0);
    s.weights.push_back(
        {problem_.variables()[v].name, strength_ * sum / static_cast<double>(problem_.slices())});
  }
  return s;
}

// TotalVariation has two fields for each kind of difference, and scratch of one more.
void RunPrior::add_footprint(const SolveOptions& options, const HostedSize& size,
                             std::uint64_t images, MethodFootprint& method) {
  if (!has_prior(options)) return;
  const std::uint64_t parts = options.prior.slices ? 3 : 2;
  const std::uint64_t prior = 2 * parts + 1;
  // The point of a proximal step; the certificate's proximal step and z; A^T 1.
  method.held.images += (prior + 3) * images + size.images;
  method.held.rays += size.rays;
  method.state.images += parts * images;
  if (options.prior.strength > 0) return;
  method.held.images += size.images;  // to start from
  // Image, the one before, gradient, point, best image; columns by matrix.
  const std::uint64_t searched = (prior + 5 + (size.gathered ? 1 : 0)) * size.images;
  method.held.images = std::max(method.held.images, searched);
  // Product, the one before, residual, target; product with all rays; weights, scratch.
  method.held.rays = std::max(method.held.rays, 7 * size.rays);
  method.held.projectors = std::max(method.held.projectors, size.own_groups + 1);
}

}  // namespace firm
