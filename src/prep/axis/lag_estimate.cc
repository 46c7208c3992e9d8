#include "prep/axis/lag_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "prep/axis/axis_misfit.h"
#include "prep/axis/choice.h"

namespace firm {
namespace {

constexpr std::size_t kMostSlices = 4;
constexpr std::size_t kMostBeamlets = 96;
constexpr std::size_t kMostAngles = 96;
constexpr std::size_t kFewestAngles = 8;
constexpr std::size_t kBlocks = 8;
constexpr double kTrials[] = {0, 1, 2, 3.5, 5, 7, 9.5, 12.5, 16, 20};  // coarse beamlets
constexpr int kAxes = 33;           // of the search for a first one
constexpr double kAxisStep = 1.5;   // coarse beamlets
constexpr double kSignificant = 4;  // standard deviations
constexpr double kLeastGain = 0.1;
constexpr double kShortest = 0.7;  // coarse beamlets: shorter lags look like edges on a grid

// The lowest point of a parabola through three points with ascending x; the middle one if it has
// none between them.
double lowest(const double (&x)[3], const double (&y)[3]) {
  const double left = (y[1] - y[0]) / (x[1] - x[0]);
  const double right = (y[2] - y[1]) / (x[2] - x[1]);
  const double curvature = (right - left) / (x[2] - x[0]);
  if (!(curvature > 0)) return y[0] < y[2] ? x[0] : x[2];
  return std::clamp((x[0] + x[1]) / 2 - left / (2 * curvature), x[0], x[2]);
}

// One trial lag with the axis that fits best.
struct LagTrial {
  double lag = 0;
  double axis = 0;
  std::vector<double> blocks;  // misfit of each block of contiguous angles

  double misfit() const { return std::accumulate(blocks.begin(), blocks.end(), 0.0); }
  double without(std::size_t block) const { return misfit() - blocks[block]; }
};

class LagSearch {
 public:
  LagSearch(const AxisMisfit& misfit)
      : misfit_(misfit), unit_(static_cast<double>(misfit.coarsening())) {}

  // `start`: the axis without a lag. Lags in coarse beamlets.
  LagTrial at(double lag, double start) const {
    // The mean of the kernel of a lag.
    const double a = lag > 0 ? std::exp(-1 / lag) : 0;
    const double expected = start - unit_ * a / (1 - a);
    const double x[] = {expected - kAxisStep * unit_, expected, expected + kAxisStep * unit_};
    const double y[] = {misfit_.at(x[0], lag), misfit_.at(x[1], lag), misfit_.at(x[2], lag)};
    const double axis = lowest(x, y);
    const std::vector<double> angles = misfit_.by_angle(axis, lag);
    LagTrial trial{lag, axis, std::vector<double>(kBlocks)};
    for (std::size_t k = 0; k < angles.size(); ++k) {
      trial.blocks[k * kBlocks / angles.size()] += angles[k];
    }
    return trial;
  }

 private:
  const AxisMisfit& misfit_;
  double unit_;
};

double best_axis(const AxisMisfit& misfit, double middle) {
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

// The mean over its standard deviation.
double deviations_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  const double deviation = std::sqrt(sum / (count - 1) / count);
  return deviation > 0 ? mean / deviation : 0;
}

}  // namespace

bool LagEstimate::significant() const {
  return lag > 0 && significance > kSignificant && gain > kLeastGain;
}

LagEstimate estimate_lag(const Sinogram& s, const std::vector<double>& angles,
                         const std::vector<double>& shifts, std::optional<double> axis) {
  LagEstimate estimate;
  estimate.uncertainty = std::numeric_limits<double>::infinity();
  const double middle = static_cast<double>(s.beamlets) / 2;
  const AxisView view{some_of(s.slices(), kMostSlices), some_angles(angles, kMostAngles),
                      (s.beamlets + kMostBeamlets - 1) / kMostBeamlets};
  const AxisMisfit misfit(s, angles, shifts, view, middle / 2);
  if (!misfit.any() || angles.size() < kFewestAngles) return estimate;
  const double start = axis ? *axis : best_axis(misfit, middle);
  const LagSearch search(misfit);
  std::vector<LagTrial> trials;
  for (const double lag : kTrials) trials.push_back(search.at(lag, start));
  std::size_t best = 0;
  for (std::size_t k = 1; k < trials.size(); ++k) {
    if (trials[k].misfit() < trials[best].misfit()) best = k;
  }
  const LagTrial& none = trials.front();
  if (best == 0) {
    estimate.uncertainty = kShortest * static_cast<double>(view.coarsening);
    estimate.axis = none.axis;
    return estimate;
  }
  const std::size_t at = std::min(best, trials.size() - 2);
  const double x[] = {trials[at - 1].lag, trials[at].lag, trials[at + 1].lag};
  const auto minimum = [&](const auto& value) {
    return lowest(x, {value(trials[at - 1]), value(trials[at]), value(trials[at + 1])});
  };
  const double lag = minimum([](const LagTrial& t) { return t.misfit(); });
  std::vector<double> parts;
  std::vector<double> gains;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    parts.push_back(minimum([&](const LagTrial& t) { return t.without(b); }));
    gains.push_back(none.blocks[b] - trials[best].blocks[b]);
  }
  const auto unit = static_cast<double>(view.coarsening);
  estimate.lag = lag * unit;
  estimate.axis = search.at(lag, start).axis;
  estimate.uncertainty = unit * std::max(jackknife_deviation(parts), kShortest);
  estimate.significance = deviations_of(gains);
  estimate.gain = 1 - trials[best].misfit() / none.misfit();
  return estimate;
}

}  // namespace firm
