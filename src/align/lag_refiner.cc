#include "align/lag_refiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "align/axis_refiner.h"

namespace firm {
namespace {

constexpr double kSignificant = 3;
constexpr double kLeast = 0.5;  // beamlets: less is no lag
constexpr int kSteps = 20;
constexpr int kRounds = 3;

double delay_of(double lag) { return lag > 0 ? 1 / (std::exp(1 / lag) - 1) : 0; }
double lag_of(double delay) { return delay > 0 ? 1 / std::log(1 + 1 / delay) : 0; }

std::vector<double> misfits_of(const AlignState& state, const SiteState& site) {
  const std::size_t angles = state.scans()[site.scan].nominal.size();
  std::vector<double> misfits;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const auto [first, last] = block_of(b, angles);
    misfits.push_back(state.lagged_misfit(site, first, last).squares);
  }
  return misfits;
}

}  // namespace

std::vector<double> LagRefiner::attempt(AlignState& state, std::size_t i, double lag, double axis) {
  SiteState& site = state.sites()[i];
  site.lag = lag;
  site.axis = axis;
  site.read();
  state.forget_images();
  for (int k = 0; k < kRounds; ++k) {
    state.fit(kSteps);
    site.axis += state.level() * axis_move(state.scan_of(site).angles(), site.slopes);
  }
  state.fit(kSteps);
  return misfits_of(state, site);
}

void LagRefiner::match_axis(AlignState& state, std::size_t i, const Found& axis) {
  SiteState& site = state.sites()[i];
  const double own = site.axis_uncertainty;
  const double uncertainty = std::hypot(own, axis.uncertainty);
  const double delay = site.axis - axis.value + delay_of(site.lag);
  found_[i].uncertainty = uncertainty;
  if (delay < kLeast || delay < kSignificant * uncertainty) return;
  const AlignSnapshot before = state.snapshot();
  double lag = lag_of(delay);
  double rest = 0;
  for (int k = 0; k < 4; ++k) {
    attempt(state, i, lag, axis.value);
    rest = site.axis - axis.value;
    lag = std::max(0.0, lag + rest);
  }
  state.restore(before);
  found_[i] = {lag, std::hypot(uncertainty, rest) + 0.03 * lag};
}

void LagRefiner::search(AlignState& state, std::size_t i) {
  const AlignSnapshot before = state.snapshot();
  const double axis = before.sites[i].axis + delay_of(before.sites[i].lag);
  Profile profile;
  for (const double lag : {0.0, 1.0, 2.0, 3.5, 5.5, 8.0, 11.5, 16.0, 22.0}) {
    profile.add(lag, attempt(state, i, lag, axis - delay_of(lag)));
  }
  state.restore(before);
  found_[i] = profile.minimum();
  if (profile.significance(0) < kSignificant) found_[i].value = 0;
}

bool LagRefiner::end_level(AlignState& state, AlignRounds&, Collective& collective) {
  // Once before the angle step is refined, which a lag disturbs, and once after it, because a wrong
  // angle step moves the axes that the lag is found by.
  const std::vector<int> levels = state.levels();
  const std::size_t last = levels.size() - 1;
  if (state.level() != levels[std::min<std::size_t>(1, last)] &&
      state.level() != levels[std::min<std::size_t>(2, last)]) {
    return false;
  }
  std::vector<double> sums(2 * state.scans().size());
  for (const SiteState& site : state.sites()) {
    if (site.transmission) continue;
    const double weight = 1 / (site.axis_uncertainty * site.axis_uncertainty);
    sums[2 * site.scan] += weight * site.axis;
    sums[2 * site.scan + 1] += weight;
  }
  collective.sum({}, sums);
  found_.assign(state.sites().size(), {});
  double changed = 0;
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    SiteState& site = state.sites()[i];
    if (!site.transmission) continue;
    const double weight = sums[2 * site.scan + 1];
    if (weight > 0) {
      match_axis(state, i, {sums[2 * site.scan] / weight, 1 / std::sqrt(weight)});
    } else {
      search(state, i);
    }
    if (found_[i].value == site.lag) continue;
    site.axis += delay_of(site.lag) - delay_of(found_[i].value);
    site.lag = found_[i].value;
    site.read();
    changed += 1;
  }
  collective.sum({}, std::span(&changed, 1));
  return changed > 0;
}

void LagRefiner::conclude(AlignState& state, Collective&, Refinement& result) {
  constexpr double kFinest = 0.1;  // beamlets: bins are no better
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    if (!state.sites()[i].transmission) continue;
    result.sites[i].lag = Found{found_[i].value, std::max(found_[i].uncertainty, kFinest)};
  }
}

}  // namespace firm
