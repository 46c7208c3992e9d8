#include "align/angle_refiner.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kSignificant = 2;
// Enough for images that fit the present factor to fit another one as well.
constexpr int kTrialRounds = 15;

// Mean misfit of a site's values in each block, summed over the hosted sites of a scan.
std::vector<double> misfits_of(const AlignState& state, const ScanState& scan) {
  std::vector<double> misfits(kBlocks);
  for (const std::size_t h : scan.hosted) {
    const SiteState& site = state.sites()[h];
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const auto [first, last] = block_of(b, scan.nominal.size());
      misfits[b] += state.misfit(site, first, last).squares;
    }
  }
  return misfits;
}

}  // namespace

bool AngleRefiner::search(AlignState& state, AlignRounds& rounds, Collective& collective,
                          const Grid& grid) {
  const AlignSnapshot before = state.snapshot();
  std::vector<Profile> profiles(state.scans().size());
  for (int k = -grid.reach; k <= grid.reach; ++k) {
    state.restore(before);
    for (std::size_t s = 0; s < profiles.size(); ++s) {
      state.scans()[s].angle_scale = before.scans[s].angle_scale + k * grid.step;
    }
    state.remake_fits();
    rounds.run(kTrialRounds);
    for (std::size_t s = 0; s < profiles.size(); ++s) {
      profiles[s].add(state.scans()[s].angle_scale, misfits_of(state, state.scans()[s]));
    }
  }
  state.restore(before);
  bool changed = false;
  found_.resize(profiles.size());
  for (std::size_t s = 0; s < profiles.size(); ++s) {
    std::vector<double> numbers = profiles[s].numbers();
    collective.sum({}, numbers);
    profiles[s].replace(numbers);
    const double old = before.scans[s].angle_scale;
    const std::optional<Found> found = profiles[s].vertex();
    const double reach = grid.reach * grid.step;
    const bool better = found && std::abs(found->value - old) > kSignificant * found->uncertainty;
    found_[s] = {better ? found->value : old, found ? found->uncertainty : reach};
    changed = changed || better;
    state.scans()[s].angle_scale = found_[s].value;
  }
  if (changed) state.remake_fits();
  return changed;
}

bool AngleRefiner::end_level(AlignState& state, AlignRounds& rounds, Collective& collective) {
  const std::vector<int> levels = state.levels();
  const std::size_t coarse = std::min<std::size_t>(1, levels.size() - 1);
  const std::size_t fine = std::min<std::size_t>(2, levels.size() - 1);
  bool changed = false;
  if (state.level() == levels[coarse]) {
    changed = search(state, rounds, collective, {0.008, 4});
    if (changed) rounds.run(kTrialRounds);
  }
  if (state.level() == levels[fine]) {
    changed = search(state, rounds, collective, {0.004, 3}) || changed;
  }
  return changed;
}

void AngleRefiner::conclude(AlignState& state, Collective&, Refinement& result) {
  constexpr double kLeast = 0.004;  // errors that were seen on simulated scans
  for (std::size_t s = 0; s < state.scans().size(); ++s) {
    result.scans[s].angle_scale =
        Found{state.scans()[s].angle_scale, std::max(found_[s].uncertainty, kLeast)};
  }
}

}  // namespace firm
