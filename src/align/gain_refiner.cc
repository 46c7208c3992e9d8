#include "align/gain_refiner.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firm {
namespace {

constexpr double kSettled = 0.002;
constexpr double kMostChange = 0.5;  // in one round, as a logarithm

// The logarithm of gain / present gain at an angle, and its variance if all of the residual is
// noise.
struct GainStep {
  double change = 0;
  double variance = 0;
};

// Sums over the rays of one angle with p of at most `most`.
struct AngleSums {
  double pp = 0, bp = 0, r = 0, rr = 0, count = 0;
};

AngleSums sums_at(const ScanFit& fit, const SiteState& site, std::size_t angle, double most) {
  AngleSums s;
  for (std::size_t ray = angle * fit.bins(); ray < (angle + 1) * fit.bins(); ++ray) {
    for (std::size_t c = site.first_column; c < site.first_column + site.slices; ++c) {
      const double p = fit.predicted()(ray, c);
      if (fit.weights()(ray, c) == 0 || p > most) continue;
      const double b = fit.data()(ray, c);
      s.pp += p * p;
      s.bp += b * p;
      s.r += b - p;
      s.rr += (b - p) * (b - p);
      s.count += 1;
    }
  }
  return s;
}

// Rays of XRT through nothing but air, if there are some: images may take up a part of a gain that
// others have.
AngleSums air_at(const ScanFit& fit, const SiteState& site, std::size_t angle) {
  constexpr double kAir = 0.02;  // of the largest value
  constexpr double kLeastRays = 5;
  double largest = 0;
  for (std::size_t ray = angle * fit.bins(); ray < (angle + 1) * fit.bins(); ++ray) {
    for (std::size_t c = site.first_column; c < site.first_column + site.slices; ++c) {
      largest = std::max<double>(largest, fit.predicted()(ray, c));
    }
  }
  const AngleSums air = sums_at(fit, site, angle, kAir * largest);
  return air.count >= kLeastRays ? air : sums_at(fit, site, angle, largest);
}

GainStep step_at(const AlignState& state, const SiteState& site, std::size_t angle) {
  const ScanFit& fit = *state.scans()[site.scan].fit;
  const AngleSums s = site.transmission
                          ? air_at(fit, site, angle)
                          : sums_at(fit, site, angle, std::numeric_limits<double>::infinity());
  if (s.count == 0) return {};
  const double noise = s.rr / s.count;
  if (site.transmission) return {-s.r / s.count, noise / s.count};
  if (s.pp <= 0 || s.bp <= 0) return {};
  return {std::log(s.bp / s.pp), noise / s.pp};
}

// Divides the gains of XRF by their mean; that of XRT is known, because air transmits everything.
void normalize(SiteState& site) {
  if (site.transmission) return;
  double mean = 0;
  for (const double g : site.gain) mean += g / static_cast<double>(site.gain.size());
  for (double& g : site.gain) g /= mean;
}

}  // namespace

std::vector<double> GainRefiner::share(AlignState& state) {
  double unsettled = 0;
  for (SiteState& site : state.sites()) {
    double largest = 0;
    for (std::size_t k = 0; k < site.gain.size(); ++k) {
      const double change = step_at(state, site, k).change;
      site.gain[k] *= std::exp(std::clamp(change, -kMostChange, kMostChange));
      largest = std::max(largest, std::abs(change));
    }
    normalize(site);
    if (largest > kSettled) unsettled += 1;
  }
  return {unsettled};
}

bool GainRefiner::update(AlignState&, std::span<const double> sums) { return sums.front() == 0; }

namespace {

// Logarithms of the gains of a site, and their variances.
struct GainCurve {
  std::vector<double> logs;
  std::vector<double> variances;
};

GainCurve curve_of(const AlignState& state, const SiteState& site) {
  GainCurve curve;
  for (std::size_t k = 0; k < site.gain.size(); ++k) {
    curve.logs.push_back(std::log(site.gain[k]));
    curve.variances.push_back(step_at(state, site, k).variance);
  }
  return curve;
}

// sum (log - expected)^2 / variance; the mean of the difference does not count.
double chi_squared(const GainCurve& curve, const std::vector<double>& expected) {
  double mean = 0, weights = 0, sum = 0;
  for (std::size_t k = 0; k < curve.logs.size(); ++k) {
    if (curve.variances[k] <= 0) continue;
    mean += (curve.logs[k] - expected[k]) / curve.variances[k];
    weights += 1 / curve.variances[k];
  }
  if (weights > 0) mean /= weights;
  for (std::size_t k = 0; k < curve.logs.size(); ++k) {
    if (curve.variances[k] <= 0) continue;
    const double d = curve.logs[k] - expected[k] - mean;
    sum += d * d / curve.variances[k];
  }
  return sum;
}

// Weighted means over the sites of each scan, without their mean over the angles.
std::vector<std::vector<double>> common_gains(const AlignState& state,
                                              const std::vector<GainCurve>& curves,
                                              Collective& collective) {
  std::vector<std::vector<double>> common;
  for (std::size_t s = 0; s < state.scans().size(); ++s) {
    const std::size_t angles = state.scans()[s].nominal.size();
    std::vector<double> sums(2 * angles);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (state.sites()[i].scan != s) continue;
      double mean = 0;
      for (const double log : curves[i].logs) mean += log / static_cast<double>(angles);
      for (std::size_t k = 0; k < angles; ++k) {
        if (curves[i].variances[k] <= 0) continue;
        sums[k] += (curves[i].logs[k] - mean) / curves[i].variances[k];
        sums[angles + k] += 1 / curves[i].variances[k];
      }
    }
    collective.sum({}, sums);
    common.emplace_back(angles);
    for (std::size_t k = 0; k < angles; ++k) {
      if (sums[angles + k] > 0) common.back()[k] = sums[k] / sums[angles + k];
    }
  }
  return common;
}

}  // namespace

// The beam of a scan is one beam, so its gains are those of all sites together; but a site may have
// been divided by a monitor already. Each site takes what fits it best: the common gains, none, or
// its own ones, without the part of their variation that noise explains.
void GainRefiner::conclude(AlignState& state, Collective& collective, Refinement& result) {
  std::vector<GainCurve> curves;
  for (const SiteState& site : state.sites()) curves.push_back(curve_of(state, site));
  const std::vector<std::vector<double>> common = common_gains(state, curves, collective);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    SiteState& site = state.sites()[i];
    const auto angles = static_cast<double>(site.gain.size());
    const std::vector<double>& shared = common[site.scan];
    const double without = chi_squared(curves[i], std::vector<double>(shared.size()));
    const double with = chi_squared(curves[i], shared);
    std::vector<double> logs(shared.size());
    // Noise alone makes the sum about `angles`, give or take sqrt(2 angles).
    if (without > angles + 3 * std::sqrt(2 * angles)) {
      logs = with < without ? shared : curves[i].logs;
      const double kept = with < without ? 1 : 1 - angles / without;
      double mean = 0;
      for (const double log : curves[i].logs) mean += log / angles;
      const double offset = with < without && site.transmission ? mean : 0;
      for (double& log : logs) log = kept * log + offset;
    }
    for (std::size_t k = 0; k < logs.size(); ++k) site.gain[k] = std::exp(logs[k]);
    if (std::ranges::any_of(logs, [](double log) { return log != 0; })) {
      result.sites[i].gain = site.gain;
    }
  }
}

}  // namespace firm
