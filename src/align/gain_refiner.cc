#include "align/gain_refiner.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kSettled = 0.002;
constexpr double kMostChange = 0.5;  // in one round, as a logarithm

// The logarithm of gain / present gain at an angle, and its variance if all of the residual is
// noise.
struct GainStep {
  double change = 0;
  double variance = 0;
};

GainStep step_at(const AlignState& state, const SiteState& site, std::size_t angle) {
  const ScanFit& fit = *state.scans()[site.scan].fit;
  double pp = 0, bp = 0, r = 0, rr = 0, count = 0;
  for (std::size_t ray = angle * fit.bins(); ray < (angle + 1) * fit.bins(); ++ray) {
    for (std::size_t c = site.first_column; c < site.first_column + site.slices; ++c) {
      if (fit.weights()(ray, c) == 0) continue;
      const double p = fit.predicted()(ray, c);
      const double b = fit.data()(ray, c);
      pp += p * p;
      bp += b * p;
      r += b - p;
      rr += (b - p) * (b - p);
      count += 1;
    }
  }
  if (count == 0) return {};
  const double noise = rr / count;
  if (site.transmission) return {-r / count, noise / count};
  if (pp <= 0 || bp <= 0) return {};
  return {std::log(bp / pp), noise / pp};
}

// Divides the gains of XRF by their mean; that of XRT is known, because air transmits everything.
void normalize(SiteState& site) {
  if (site.transmission) return;
  double mean = 0;
  for (const double g : site.gain) mean += g / static_cast<double>(site.gain.size());
  for (double& g : site.gain) g /= mean;
}

}  // namespace

std::vector<double> GainRefiner::share(AlignState& state) {
  double unsettled = 0;
  for (SiteState& site : state.sites()) {
    double largest = 0;
    for (std::size_t k = 0; k < site.gain.size(); ++k) {
      const double change = step_at(state, site, k).change;
      site.gain[k] *= std::exp(std::clamp(change, -kMostChange, kMostChange));
      largest = std::max(largest, std::abs(change));
    }
    normalize(site);
    if (largest > kSettled) unsettled += 1;
  }
  return {unsettled};
}

bool GainRefiner::update(AlignState&, std::span<const double> sums) { return sums.front() == 0; }

void GainRefiner::conclude(AlignState& state, Collective&, Refinement& result) {
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    SiteState& site = state.sites()[i];
    const auto angles = static_cast<double>(site.gain.size());
    double squares = 0;
    for (std::size_t k = 0; k < site.gain.size(); ++k) {
      const double variance = step_at(state, site, k).variance;
      const double g = std::log(site.gain[k]);
      if (variance > 0) squares += g * g / variance;
    }
    // Noise alone makes the sum `angles`, give or take sqrt(2 angles).
    const bool found = squares > angles + 3 * std::sqrt(2 * angles);
    const double kept = found ? 1 - angles / squares : 0;
    for (double& g : site.gain) g = std::exp(kept * std::log(g));
    if (found) result.sites[i].gain = site.gain;
  }
}

}  // namespace firm
