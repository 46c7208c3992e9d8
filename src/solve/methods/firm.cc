#include "solve/methods/firm.h"

#include <fmt/format.h>

#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

double first_eta(const Problem& problem, const SolveOptions& options) {
  check_firm_assumptions(problem.study(), options.method);
  // alpha = 3 / (4 lambda_max), scaled by gamma.
  return options.firm.step_scale * 3 / (4 * problem.lambda_max());
}

}  // namespace

void check_firm_assumptions(const Study& study, const std::string& method) {
  const std::string expected = "one matrix A common to all sites, on which its proof rests; ";
  const std::string instead = " (firm-ds and fedpgd can do this)";
  if (!study.common_geometry()) {
    throw usage_error({"study", "method " + method, expected + "the same angles and beamlets",
                       "sites with different geometry" + instead});
  }
  if (study.weighted()) {
    throw usage_error({"study", "method " + method, expected + "the same sigma",
                       "sites with different sigma" + instead});
  }
  for (const Site& site : study.sites) {
    if (!site.weighted_values) continue;
    throw usage_error(
        {"study", "method " + method, expected + "values that count alike",
         fmt::format("values of {} that are masked or have weights{}", site.name, instead)});
  }
  if (study.other) {
    throw usage_error(
        {"study", "method " + method, expected + "no other image", "other = true" + instead});
  }
}

double descent_bound(const Study& study, double lambda_max) {
  double c_squared = 0;
  for (std::size_t i = 0; i + 1 < study.sites.size(); ++i) {
    const double c = study.sites[i].coefficient;
    c_squared += c * c * study.weight(study.sites.size() - 1) / study.weight(i);
  }
  return (2 - c_squared) / (4 * lambda_max);
}

Firm::Firm(Problem& problem, const SolveOptions& options, std::size_t fields)
    : problem_(problem),
      coupling_(problem),
      rule_(options.firm, first_eta(problem, options)),
      levels_(residual_levels(problem, options.stop)),
      residual_(problem),
      y_(problem.operators().make_sinograms()),
      w_(problem.pixels(), problem.columns()),
      g_(problem.pixels(), problem.columns()),
      message_(fields * problem.pixels(), problem.slices()) {}

MethodFootprint Firm::footprint(const SolveOptions& /*options*/, const HostedSize& size) {
  MethodFootprint f;
  f.held = {2 * size.images + 1, size.rays};
  f.state = {size.images};
  f.share = {1};
  return f;
}

std::span<float> Firm::field(std::size_t k) {
  const std::size_t size = problem_.pixels() * problem_.slices();
  return message_.values().subspan(k * size, size);
}

void Firm::share() {
  problem_.operators().forward(w_, y_);                       // y = A w
  residual_.subtract_data(y_);                                // y = A w - b
  problem_.operators().adjoint(y_, g_);                       // g / 2 = A^T (A w - b)
  coupling_.combine_step(w_, 2 * rule_.eta(), g_, field(0));  // v = w - eta g, S = D v
  scalars.objective = residual_.objective();
  scalars.step_squared = change_.step_squared;
  // (w_before - w) / (eta s^2) is the projected gradient of Q(.; eta) at w_before.
  scalars.kkt_squared = change_.mapping_squared / (rule_.eta_before() * rule_.eta_before());
  scalars.unmet = count_unmet(residual_.squares(), levels_);
  scalars.size_squared = change_.size_squared;
  const bool has_xrt = problem_.transmission() + 1 == problem_.variables().size();
  scalars.xrt_squared = has_xrt ? change_.last_squared : 0;
}

Verdict Firm::judge() {
  Verdict verdict;
  if (rounds_ == 0) return verdict;
  const double step = std::sqrt(scalars.step_squared);
  outcome_ = rule_.judge(step, std::sqrt(scalars.size_squared), rounds_);
  verdict.repeat = outcome_.repeat;
  if (outcome_.done) {
    verdict.done = Termination{
        "eps", fmt::format("eta {:.3g} < eps after an inner loop that ended with step norm {:.3g}",
                           rule_.eta(), step)};
  }
  return verdict;
}

void Firm::update() { correct(field(0), 0.5); }

void Firm::correct(std::span<const float> t, double factor) {
  change_ = coupling_.correct(2 * rule_.eta(), g_, factor, t, w_);
  ++rounds_;
  rule_.advance(rounds_);
}

std::optional<double> Firm::violation() const {
  if (!problem_.complete()) return {};
  return std::sqrt(change_.violation_squared);
}

void Firm::archive(Archive& archive) {
  archive.values("w", w_.values());
  archive.number("rounds", rounds_);
  archive.number("change/step_squared", change_.step_squared);
  archive.number("change/mapping_squared", change_.mapping_squared);
  archive.number("change/violation_squared", change_.violation_squared);
  archive.number("change/size_squared", change_.size_squared);
  archive.number("change/last_squared", change_.last_squared);
  rule_.archive(archive);
}

}  // namespace firm
