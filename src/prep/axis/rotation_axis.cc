#include "prep/axis/rotation_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "prep/axis/axis_misfit.h"
#include "prep/axis/centre_of_mass.h"
#include "prep/axis/choice.h"

namespace firm {
namespace {

constexpr std::size_t kMostSlices = 4;
constexpr std::size_t kCoarseBeamlets = 96;
constexpr std::size_t kFineBeamlets = 400;
constexpr std::size_t kFineAngles = 200;
constexpr int kMostCandidates = 65;
constexpr double kReach = 4;  // coarse beamlets to each side of the best that the parabola covers
constexpr int kPoints = 13;   // of the parabola; kFewPoints in the jackknife
constexpr int kFewPoints = 7;
constexpr std::size_t kBlocks = 8;  // of the jackknife
constexpr std::size_t kJackknifeBeamlets = 150;
constexpr double kFloor = 0.02;  // of a coarse beamlet: resolution of the parabola

std::size_t coarsening_to(std::size_t beamlets, std::size_t most) {
  return (beamlets + most - 1) / most;
}

struct Parabola {
  double best = 0;
  bool opens_up = false;
};

// Least squares fit to the values at `from` + k * `step`.
Parabola parabola(const std::vector<double>& values, double from, double step) {
  // Around the middle the odd and the even sums decouple.
  const double half = (static_cast<double>(values.size()) - 1) / 2;
  double s2 = 0;
  double s4 = 0;
  double y0 = 0;
  double y1 = 0;
  double y2 = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double x = static_cast<double>(k) - half;
    s2 += x * x;
    s4 += x * x * x * x;
    y0 += values[k];
    y1 += x * values[k];
    y2 += x * x * values[k];
  }
  const auto n = static_cast<double>(values.size());
  const double slope = y1 / s2;
  const double curvature = (n * y2 - s2 * y0) / (n * s4 - s2 * s2);
  if (!(curvature > 0)) return {};
  return {from + step * (half - slope / (2 * curvature)), true};
}

// The best axis near `start`, by parabolas; moves the points until they contain the minimum.
double refine(const AxisMisfit& misfit, double start, int points, const AxisRange& range) {
  const auto unit = static_cast<double>(misfit.coarsening());
  const double low = range.middle - range.width;
  const double high = range.middle + range.width;
  double centre = std::clamp(start, low, high);
  constexpr int kMoves = 4;
  for (int move = 0; move < kMoves; ++move) {
    const double from = centre - kReach * unit;
    const double step = 2 * kReach * unit / (points - 1);
    std::vector<double> values;
    for (int k = 0; k < points; ++k) values.push_back(misfit.at(from + k * step));
    const auto smallest = std::min_element(values.begin(), values.end());
    const double at = from + step * static_cast<double>(smallest - values.begin());
    const Parabola p = parabola(values, from, step);
    const bool inside = p.opens_up && std::abs(p.best - centre) < (kReach - 1) * unit;
    if (inside || move + 1 == kMoves) return std::clamp(inside ? p.best : at, low, high);
    const double next = std::clamp(at, low, high);
    if (next == centre) return centre;
    centre = next;
  }
  return centre;
}

struct CoarseBest {
  double axis = 0;
  double contrast = 0;
  bool at_edge = false;
};

CoarseBest search(const AxisMisfit& misfit, const AxisRange& range) {
  const double wanted = std::ceil(2 * range.width / static_cast<double>(misfit.coarsening()));
  const int intervals = std::clamp(static_cast<int>(std::min(wanted, 1e6)), 2, kMostCandidates - 1);
  std::vector<double> values;
  for (int k = 0; k <= intervals; ++k) {
    values.push_back(misfit.at(range.middle + range.width * (2.0 * k / intervals - 1)));
  }
  const auto smallest = std::min_element(values.begin(), values.end());
  const auto at = static_cast<int>(smallest - values.begin());
  CoarseBest best;
  const double step = 2 * range.width / intervals;
  best.axis = range.middle - range.width + step * at;
  best.at_edge = at == 0 || at == intervals;
  if (!best.at_edge) {
    const Parabola p = parabola({smallest - 1, smallest + 2}, best.axis - step, step);
    if (p.opens_up) best.axis = std::clamp(p.best, best.axis - step, best.axis + step);
  }
  const double least = *smallest;
  std::nth_element(values.begin(), values.begin() + intervals / 2, values.end());
  const double median = values[static_cast<std::size_t>(intervals / 2)];
  best.contrast = median > 0 ? 1 - least / median : 0;
  return best;
}

// Largest gap between angles in degrees, modulo 180.
double largest_gap(std::vector<double> angles) {
  constexpr double kPi = std::numbers::pi;
  for (double& angle : angles) angle -= kPi * std::floor(angle / kPi);
  std::sort(angles.begin(), angles.end());
  double gap = angles.front() + kPi - angles.back();
  for (std::size_t k = 1; k < angles.size(); ++k) gap = std::max(gap, angles[k] - angles[k - 1]);
  return gap * 180 / kPi;
}

// The chosen angles without one block of contiguous ones.
std::vector<std::size_t> without_block(const std::vector<std::size_t>& all, std::size_t block,
                                       std::size_t blocks) {
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k * blocks / all.size() != block) some.push_back(all[k]);
  }
  return some;
}

}  // namespace

RotationAxis find_rotation_axis(const Sinogram& s, const std::vector<double>& angles,
                                const std::vector<double>& shifts, const AxisRange& range,
                                bool logarithms) {
  RotationAxis result;
  result.axis = range.middle;
  result.uncertainty = range.width;
  AxisView view{some_of(s.slices(), kMostSlices), some_angles(angles, kCoarseBeamlets),
                coarsening_to(s.beamlets, kCoarseBeamlets)};
  const AxisMisfit coarse(s, angles, shifts, view, range.width);
  if (!coarse.any()) return result;
  result.found = true;
  result.centre_of_mass = axis_by_centre_of_mass(s, angles, shifts, view.slices);
  const CoarseBest best = search(coarse, range);
  result.contrast = best.contrast;
  result.at_edge = best.at_edge;
  result.gap = largest_gap(angles);

  view.coarsening = coarsening_to(s.beamlets, kFineBeamlets);
  view.angles = some_angles(angles, kFineAngles);
  // The smallest image that the best axis allows: its size determines the time.
  const double width =
      std::min(range.width, std::abs(best.axis - range.middle) + 0.05 * 2 * range.middle);
  const auto refined = [&](const AxisView& part, double start, int points) {
    return refine(AxisMisfit(s, angles, shifts, part, width), start, points, range);
  };
  result.axis = refined(view, best.axis, kPoints);
  if (angles.size() < 2) return result;
  result.uncertainty = kFloor * static_cast<double>(view.coarsening);
  const std::size_t blocks = std::min(kBlocks, view.angles.size());
  std::vector<double> without;
  for (std::size_t k = 0; k < blocks; ++k) {
    const AxisView part{view.slices, without_block(view.angles, k, blocks),
                        coarsening_to(s.beamlets, kJackknifeBeamlets)};
    without.push_back(refined(part, result.axis, kFewPoints));
  }
  result.uncertainty = std::max(result.uncertainty, jackknife_deviation(without));
  result.lag = estimate_lag(s, angles, {logarithms, shifts, result.axis});
  if (result.lag.significant()) result.uncertainty = std::hypot(result.uncertainty, result.lag.lag);
  return result;
}

std::vector<std::string> axis_warnings(const RotationAxis& a, const AxisRange& range,
                                       double scale) {
  constexpr double kLeastContrast = 0.1;
  constexpr double kLargestGap = 50;  // degrees
  if (!a.found) {
    return {
        fmt::format("no rotation axis can be found in data that is 0 throughout; using the "
                    "middle, {:.6g}",
                    scale * range.middle)};
  }
  std::vector<std::string> warnings;
  if (a.lag.significant()) {
    warnings.push_back(fmt::format(
        "looks lagged, which moves the rotation axis by as much: by {:.2g} +- {:.1g} beamlets, "
        "often only half of that, as the shape of the object adds to it; --refine lag finds the "
        "lag in the run, lag in its table of the study removes a known one",
        scale * a.lag.lag, scale * a.lag.uncertainty));
  }
  if (a.at_edge) {
    warnings.push_back(
        fmt::format("the rotation axis that fits best, {:.6g}, is at the end of the search range "
                    "{:.6g} to {:.6g}: set a wider axis_search, or rotation_axis to a number",
                    scale * a.axis, scale * (range.middle - range.width),
                    scale * (range.middle + range.width)));
  }
  const bool uncertain = !a.lag.significant() && a.uncertainty > std::max(1.0, 0.5 / scale);
  if (a.contrast < kLeastContrast || uncertain) {
    warnings.push_back(
        fmt::format("the rotation axis {:.6g} is uncertain by about {:.2g} beamlets, and fits only "
                    "{:.1f} % better than others: set rotation_axis to a number if it is known",
                    scale * a.axis, scale * a.uncertainty, 100 * a.contrast));
  }
  if (a.gap > kLargestGap) {
    warnings.push_back(fmt::format(
        "the angles leave out {:.0f} degrees, which makes the rotation axis {:.6g} "
        "uncertain by about a beamlet or more: set rotation_axis to a number if it is known",
        a.gap, scale * a.axis));
  }
  if (!a.centre_of_mass) return warnings;
  const double difference = std::abs(*a.centre_of_mass - a.axis);
  if (difference > std::max({2.0, 5 * a.uncertainty, 0.04 * range.middle})) {
    warnings.push_back(
        fmt::format("the rotation axis {:.6g} fits best, but the centre of mass turns around "
                    "{:.6g}: the object "
                    "is not completely in view, values beside it are not 0, or the axis is wrong",
                    scale * a.axis, scale * *a.centre_of_mass));
  }
  return warnings;
}

}  // namespace firm
