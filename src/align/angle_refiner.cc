#include "align/angle_refiner.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kSignificant = 2;
constexpr int kMostMore = 4;  // trials beyond the first ones
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

// Tries the factor that is `k` steps from that of `before`, for all scans.
void AngleRefiner::attempt(AlignState& state, AlignRounds& rounds, Collective& collective,
                           const AlignSnapshot& before, double change) {
  state.restore(before);
  for (std::size_t s = 0; s < state.scans().size(); ++s) {
    state.scans()[s].angle_scale = before.scans[s].angle_scale + change;
  }
  state.remake_fits();
  rounds.run(kTrialRounds);
  std::vector<double> numbers;
  for (const ScanState& scan : state.scans()) {
    const std::vector<double> own = misfits_of(state, scan);
    numbers.insert(numbers.end(), own.begin(), own.end());
  }
  collective.sum({}, numbers);
  for (std::size_t s = 0; s < state.scans().size(); ++s) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(s * kBlocks);
    profiles_[s].add(state.scans()[s].angle_scale, {first, first + kBlocks});
  }
}

bool AngleRefiner::search(AlignState& state, AlignRounds& rounds, Collective& collective,
                          const Grid& grid) {
  const AlignSnapshot before = state.snapshot();
  profiles_.assign(state.scans().size(), {});
  int low = -grid.reach;
  int high = grid.reach;
  for (int k = low; k <= high; ++k) attempt(state, rounds, collective, before, k * grid.step);
  // Goes on where the misfit still falls at an end.
  for (int more = 0; more < kMostMore; ++more) {
    const auto falls = [&](int side) {
      return std::ranges::any_of(profiles_, [&](const Profile& p) { return p.edge() == side; });
    };
    if (falls(-1)) {
      attempt(state, rounds, collective, before, --low * grid.step);
    } else if (falls(1)) {
      attempt(state, rounds, collective, before, ++high * grid.step);
    }
  }
  state.restore(before);
  bool changed = false;
  found_.resize(profiles_.size());
  for (std::size_t s = 0; s < profiles_.size(); ++s) {
    const double old = before.scans[s].angle_scale;
    const std::optional<Found> found = profiles_[s].vertex((grid.reach + 0.5) * grid.step);
    const bool better = found && std::abs(found->value - old) > kSignificant * found->uncertainty;
    found_[s] = {better ? found->value : old, found ? found->uncertainty : grid.reach * grid.step};
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
    changed = search(state, rounds, collective, {0.008, 3});
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
