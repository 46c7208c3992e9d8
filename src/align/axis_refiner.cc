#include "align/axis_refiner.h"

#include <algorithm>
#include <cmath>

#include "align/small_fit.h"

namespace firm {
namespace {

constexpr double kSettled = 0.002;  // bins

double constant_part(const std::vector<double>& angles, const Slopes& slopes) {
  std::vector<double> basis;
  std::vector<double> moves;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    basis.insert(basis.end(), {1.0, std::cos(angles[k]), std::sin(angles[k])});
    moves.push_back(slopes.d[k] > 0 ? slopes.n[k] / slopes.d[k] : 0);
  }
  return weighted_fit(basis, 3, moves, slopes.d).front();
}

}  // namespace

void AxisRefiner::begin_level(AlignState& state) { last_.assign(state.sites().size(), 0.0); }

std::vector<double> AxisRefiner::share(AlignState& state) {
  double unsettled = 0;
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    SiteState& site = state.sites()[i];
    const double move =
        std::clamp(constant_part(state.scan_of(site).angles(), site.slopes), -1.0, 1.0);
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

void AxisRefiner::conclude(AlignState& state, Collective&, Refinement& result) {
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    result.sites[i].axis = Found{state.sites()[i].axis, 0};
  }
}

}  // namespace firm
