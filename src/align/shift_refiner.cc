#include "align/shift_refiner.h"

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kSettled = 0.002;     // bins
constexpr double kLeastSignal = 0.02;  // of the mean

// Far enough for any stage, near enough that an angle without a signal does not run away.
double bound_of(const AlignState& state, const ScanState& scan) {
  double beamlets = 0;
  for (const std::size_t i : scan.sites) {
    beamlets = std::max(beamlets, static_cast<double>(state.study().sites[i].geometry.beamlets));
  }
  return std::max(10.0, beamlets / 8);
}

}  // namespace

std::vector<double> ShiftRefiner::share(AlignState& state) {
  std::vector<double> numbers;
  for (const ScanState& scan : state.scans()) {
    const std::size_t angles = scan.nominal.size();
    const std::size_t first = numbers.size();
    numbers.resize(first + 2 * angles);
    for (const std::size_t h : scan.hosted) {
      const Slopes& slopes = state.sites()[h].slopes;
      for (std::size_t k = 0; k < angles; ++k) {
        numbers[first + k] += slopes.n[k];
        numbers[first + angles + k] += slopes.d[k];
      }
    }
  }
  return numbers;
}

double ShiftRefiner::move(ScanState& scan, std::span<const double> n, std::span<const double> d,
                          int level) {
  double mean = 0;
  for (const double value : d) mean += value / static_cast<double>(d.size());
  if (mean <= 0) return 0;
  std::vector<double> change(n.size());
  for (std::size_t k = 0; k < n.size(); ++k) {
    change[k] = std::clamp(n[k] / std::max(d[k], kLeastSignal * mean), -1.0, 1.0);
  }
  remove_position(scan.angles(), !keeps_mean_, change);
  double largest = 0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    scan.shifts[k] += level * change[k];
    largest = std::max(largest, std::abs(change[k]));
  }
  return largest;
}

bool ShiftRefiner::update(AlignState& state, std::span<const double> sums) {
  last_ = 0;
  at_bound_ = false;
  for (ScanState& scan : state.scans()) {
    const std::size_t angles = scan.nominal.size();
    last_ = std::max(last_,
                     move(scan, sums.first(angles), sums.subspan(angles, angles), state.level()));
    sums = sums.subspan(2 * angles);
    const double bound = bound_of(state, scan);
    for (double& shift : scan.shifts) {
      if (std::abs(shift) > bound) at_bound_ = true;
      shift = std::clamp(shift, -bound, bound);
    }
  }
  return last_ < kSettled;
}

void ShiftRefiner::conclude(AlignState& state, Collective&, Refinement& result) {
  for (std::size_t k = 0; k < state.scans().size(); ++k) {
    result.scans[k].shifts = state.scans()[k].shifts;
  }
}

}  // namespace firm
