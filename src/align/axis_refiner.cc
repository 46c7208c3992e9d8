#include "align/axis_refiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "align/profile.h"
#include "align/small_fit.h"

namespace firm {
namespace {

constexpr double kSettled = 0.002;  // bins
constexpr double kApart = 0.5;      // beamlets
constexpr double kSignificant = 3;
constexpr double kLeast = 0.02;  // uncertainty, beamlets

}  // namespace

double axis_move(const std::vector<double>& angles, const Slopes& slopes) {
  std::vector<double> basis;
  std::vector<double> moves;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    basis.insert(basis.end(), {1.0, std::cos(angles[k]), std::sin(angles[k])});
    moves.push_back(slopes.d[k] > 0 ? slopes.n[k] / slopes.d[k] : 0);
  }
  return std::clamp(weighted_fit(basis, 3, moves, slopes.d).front(), -1.0, 1.0);
}

void AxisRefiner::begin_level(AlignState& state) { last_.assign(state.sites().size(), 0.0); }

std::vector<double> AxisRefiner::share(AlignState& state) {
  double unsettled = 0;
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    SiteState& site = state.sites()[i];
    const double move = axis_move(state.scan_of(site).angles(), site.slopes);
    for (std::size_t k = 0; k < site.slopes.n.size(); ++k) {
      site.slopes.n[k] -= move * site.slopes.d[k];
    }
    // The images follow a wrong axis to a part, which makes steps too short by nearly the same
    // factor in every round: the next ones are foreseen.
    const double ratio = last_[i] != 0 ? move / last_[i] : 0;
    const double ahead = ratio > 0 ? 1 / (1 - std::min(ratio, 0.75)) : 1;
    last_[i] = ahead > 1 ? 0 : move;
    site.axis += state.level() * std::clamp(move * ahead, -1.0, 1.0);
    if (std::abs(move) > kSettled) unsettled += 1;
  }
  return {unsettled};
}

bool AxisRefiner::update(AlignState&, std::span<const double> sums) { return sums.front() == 0; }

// Leaves out blocks of angles one by one and begins again with empty images, on a coarse level,
// where that costs little.
bool AxisRefiner::end_level(AlignState& state, AlignRounds&, Collective&) {
  const std::vector<int> levels = state.levels();
  if (state.level() != levels[std::min<std::size_t>(1, levels.size() - 1)]) return false;
  constexpr int kSteps = 20;
  constexpr int kRounds = 4;
  const AlignSnapshot before = state.snapshot();
  std::vector<std::vector<double>> axes(state.sites().size());
  for (std::size_t b = 0; b < kBlocks; ++b) {
    for (ScanState& scan : state.scans()) {
      const auto [first, last] = block_of(b, scan.used.size());
      for (std::size_t k = 0; k < scan.used.size(); ++k) scan.used[k] = k < first || k >= last;
    }
    state.forget_images();
    for (int k = 0; k < kRounds; ++k) {
      state.fit(kSteps);
      for (SiteState& site : state.sites()) {
        site.axis += state.level() * axis_move(state.scan_of(site).angles(), site.slopes);
      }
    }
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i].push_back(state.sites()[i].axis);
    state.restore(before);
  }
  for (ScanState& scan : state.scans()) scan.used.assign(scan.used.size(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    state.sites()[i].axis_uncertainty = std::max(jackknife(axes[i]), kLeast);
  }
  return false;
}

// All detectors of a scan look at the same beam, so their axes should agree. Where they do not,
// something else is wrong with the scan, and the uncertainty covers the difference.
void AxisRefiner::conclude(AlignState& state, Collective& collective, Refinement& result) {
  std::vector<double> sums(2 * state.scans().size());
  for (const SiteState& site : state.sites()) {
    const double weight = 1 / (site.axis_uncertainty * site.axis_uncertainty);
    sums[2 * site.scan] += weight * site.axis;
    sums[2 * site.scan + 1] += weight;
  }
  collective.sum({}, sums);
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    SiteState& site = state.sites()[i];
    const double apart = std::abs(site.axis - sums[2 * site.scan] / sums[2 * site.scan + 1]);
    result.sites[i].axis = Found{site.axis, std::hypot(site.axis_uncertainty, apart)};
    if (apart < kApart || apart < kSignificant * site.axis_uncertainty) continue;
    result.warnings.push_back(fmt::format(
        "{}: its rotation axis is {:.2f} beamlets from that of the other sites of scan {}, but "
        "{:.2f} is its uncertainty; usual causes are a detector that lags, a wrong angle step, and "
        "shifts of the stage: --refine lag,angles,shifts",
        result.sites[i].name, apart, state.scan_of(site).name, site.axis_uncertainty));
  }
}

}  // namespace firm
