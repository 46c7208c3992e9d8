#include "align/shift_refiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

constexpr double kSettled = 0.002;     // bins
constexpr double kUnsettled = 0.1;     // bins, at the end
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

// The images take up a part of the noise, which the residual then lacks: deviations on simulated
// scans are up to kMissing times those of the residual.
void ShiftRefiner::conclude(AlignState& state, Collective& collective, Refinement& result) {
  constexpr double kMissing = 2;
  constexpr double kPixels = 0.03;  // beamlets, without noise
  std::vector<double> numbers = share(state);
  for (const ScanState& scan : state.scans()) {
    const std::size_t first = numbers.size();
    numbers.resize(first + scan.nominal.size());
    for (const std::size_t h : scan.hosted) {
      const Slopes& slopes = state.sites()[h].slopes;
      for (std::size_t k = 0; k < scan.nominal.size(); ++k) numbers[first + k] += slopes.v[k];
    }
  }
  collective.sum({}, numbers);
  std::size_t sums = 0;
  std::size_t variances = 0;
  for (const ScanState& scan : state.scans()) variances += 2 * scan.nominal.size();
  for (std::size_t s = 0; s < state.scans().size(); ++s) {
    const ScanState& scan = state.scans()[s];
    const std::size_t angles = scan.nominal.size();
    result.scans[s].shifts = scan.shifts;
    for (std::size_t k = 0; k < angles; ++k) {
      const double d = numbers[sums + angles + k];
      const double noise =
          d > 0 ? kMissing * state.level() * std::sqrt(numbers[variances + k]) / d : 0;
      result.scans[s].uncertainties.push_back(std::hypot(noise, kPixels));
    }
    sums += 2 * angles;
    variances += angles;
  }
  if (at_bound_) {
    result.warnings.push_back(
        "shifts reached the limit of the search: the scan cannot be aligned from its data; check "
        "rotation axis, angles and image size");
  } else if (last_ > kUnsettled) {
    result.warnings.push_back(fmt::format(
        "shifts have not settled: the last change was {:.2g} beamlets", last_ * state.level()));
  }
}

}  // namespace firm
