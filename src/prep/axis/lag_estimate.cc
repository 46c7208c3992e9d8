#include "prep/axis/lag_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "prep/axis/axis_misfit.h"
#include "prep/axis/choice.h"
#include "prep/steps/lag.h"

namespace firm {
namespace {

constexpr std::size_t kMostSlices = 4;
constexpr std::size_t kMostBeamlets = 96;
constexpr std::size_t kMostAngles = 96;
constexpr std::size_t kFewestAngles = 8;
constexpr std::size_t kBlocks = 8;
constexpr double kProbe = 2;              // coarse beamlets: the lag of the model
constexpr double kLongest = 0.2;          // of the beamlets
constexpr int kAxes = 33;                 // of the search for a first one
constexpr double kAxisStep = 1.5;         // coarse beamlets
constexpr double kSignificant = 5;        // standard deviations
constexpr double kLeastAsymmetry = 0.12;  // objects without a lag reach 0.07 over 180 degrees
constexpr double kInaccuracy = 0.5;       // of the lag
constexpr int kHalvings = 7;
constexpr double kLeastTransmission = 1e-3;

// By how much a lag moves projections: the mean of its kernel.
double mean_of_lag(double lag) { return lag > 0 ? 1 / std::expm1(1 / lag) : 0; }

// The lowest point of a parabola through the values at x - step, x and x + step, within them.
double lowest(double x, double step, const std::vector<double>& y) {
  const double curvature = y[0] - 2 * y[1] + y[2];
  if (!(curvature > 0)) return y[0] < y[2] ? x - step : x + step;
  return x + step * std::clamp((y[0] - y[2]) / (2 * curvature), -1.0, 1.0);
}

class Asymmetry {
 public:
  Asymmetry(const Sinogram& s, const std::vector<double>& angles, const LagOptions& options)
      : s_(s),
        angles_(angles),
        options_(options),
        view_{some_of(s.slices(), kMostSlices), some_angles(angles, kMostAngles),
              (s.beamlets + kMostBeamlets - 1) / kMostBeamlets} {
    const AxisMisfit misfit = misfit_without(0);
    known_ = misfit.any() && angles.size() >= kFewestAngles;
    if (known_) axis_ = options.axis ? *options.axis : best_axis(misfit);
  }

  bool known() const { return known_; }

  struct Result {
    std::vector<double> blocks;  // of contiguous angles
    double misfit = 0;           // with the lag that fits better

    double sum() const { return std::accumulate(blocks.begin(), blocks.end(), 0.0); }
  };
  // After the removal of a lag in beamlets of the sinogram.
  Result without(double lag) const {
    const AxisMisfit misfit = misfit_without(lag);
    const double axis = axis_ - mean_of_lag(lag);
    const std::vector<double> ahead = blocks(misfit, axis, kProbe);
    const std::vector<double> behind = blocks(misfit, axis, -kProbe);
    Result result{std::vector<double>(kBlocks), 0};
    for (std::size_t b = 0; b < kBlocks; ++b) result.blocks[b] = behind[b] - ahead[b];
    result.misfit = std::min(std::accumulate(ahead.begin(), ahead.end(), 0.0),
                             std::accumulate(behind.begin(), behind.end(), 0.0));
    return result;
  }

 private:
  AxisMisfit misfit_without(double lag) const {
    Sinogram s = s_;
    if (lag > 0) {
      for (float& v : s.values.values()) v = options_.logarithms ? std::exp(-v) : v;
      remove_lag(lag, s);
      for (float& v : s.values.values()) {
        if (options_.logarithms) v = -std::log(std::max(v, static_cast<float>(kLeastTransmission)));
      }
    }
    return AxisMisfit(s, angles_, options_.shifts, view_, static_cast<double>(s.beamlets) / 4);
  }

  double best_axis(const AxisMisfit& misfit) const {
    const double middle = static_cast<double>(s_.beamlets) / 2;
    double best = middle;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kAxes; ++k) {
      const double axis = middle * (0.5 + static_cast<double>(k) / (kAxes - 1));
      const double value = misfit.at(axis);
      if (value < least) best = axis;
      least = std::min(least, value);
    }
    return best;
  }

  // Misfits with a lag in the model, at the axis that fits best.
  static std::vector<double> blocks(const AxisMisfit& misfit, double axis, double lag) {
    const auto unit = static_cast<double>(misfit.coarsening());
    const double expected = axis - std::copysign(unit * mean_of_lag(std::abs(lag)), lag);
    const double step = kAxisStep * unit;
    const double best = lowest(expected, step,
                               {misfit.at(expected - step, lag), misfit.at(expected, lag),
                                misfit.at(expected + step, lag)});
    const std::vector<double> angles = misfit.by_angle(best, lag);
    std::vector<double> sums(kBlocks);
    for (std::size_t k = 0; k < angles.size(); ++k) sums[k * kBlocks / angles.size()] += angles[k];
    return sums;
  }

  const Sinogram& s_;
  const std::vector<double>& angles_;
  const LagOptions& options_;
  AxisView view_;
  bool known_ = false;
  double axis_ = 0;
};

// Standard deviation of a sum of independent values.
double deviation_of_sum(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum * count / (count - 1));
}

}  // namespace

bool LagEstimate::significant() const {
  return lag > 0 && significance > kSignificant && asymmetry > kLeastAsymmetry;
}

LagEstimate estimate_lag(const Sinogram& s, const std::vector<double>& angles,
                         const LagOptions& options) {
  LagEstimate estimate;
  estimate.uncertainty = std::numeric_limits<double>::infinity();
  const Asymmetry asymmetry(s, angles, options);
  if (!asymmetry.known()) return estimate;
  const Asymmetry::Result now = asymmetry.without(0);
  const double deviation = deviation_of_sum(now.blocks);
  estimate.significance = deviation > 0 ? now.sum() / deviation : 0;
  estimate.asymmetry = now.misfit > 0 ? now.sum() / now.misfit : 0;
  if (estimate.significance < kSignificant || estimate.asymmetry < kLeastAsymmetry) return estimate;
  double low = 0;
  double high = kLongest * static_cast<double>(s.beamlets);
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (low + high) / 2;
    (asymmetry.without(middle).sum() > 0 ? low : high) = middle;
  }
  estimate.lag = (low + high) / 2;
  estimate.uncertainty = kInaccuracy * estimate.lag;
  return estimate;
}

}  // namespace firm
