#include "prep/diagnose/site_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTolerance = 1.25;  // of the coefficients
constexpr RayChange kChanges[] = {RayChange::kMirrored, RayChange::kReversed, RayChange::kBoth,
                                  RayChange::kReversedOrder};

double changed_angle(double angle, RayChange change, double sum_of_ends) {
  switch (change) {
    case RayChange::kNone:
      return angle;
    case RayChange::kMirrored:
      return angle + kPi;
    case RayChange::kReversed:
      return -angle;
    case RayChange::kBoth:
      return kPi - angle;
    case RayChange::kReversedOrder:
      return sum_of_ends - angle;
  }
  return angle;
}

struct Limits {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
};

// Smallest ||sum_i f_i p_i - b||^2 / ||b||^2 over factors within limits, by coordinate descent,
// over the usable values of b; less the noise of b.
double least_residual(const std::vector<const Block*>& parts, const std::vector<Limits>& limits,
                      const CoarseSite& of) {
  const std::size_t n = parts.size();
  std::vector<double> gram(n * n);
  std::vector<double> right(n);
  double energy = 0;
  double noise = 0;
  for (std::size_t k = 0; k < of.values.size(); ++k) {
    if (!(of.precision.data()[k] > 0)) continue;
    const auto b = static_cast<double>(of.values.data()[k]);
    energy += b * b;
    noise += 1 / static_cast<double>(of.precision.data()[k]);
    for (std::size_t i = 0; i < n; ++i) {
      const auto p = static_cast<double>(parts[i]->data()[k]);
      right[i] += p * b;
      for (std::size_t j = 0; j <= i; ++j) {
        gram[i * n + j] += p * static_cast<double>(parts[j]->data()[k]);
      }
    }
  }
  if (!(energy > 0)) return 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) gram[i * n + j] = gram[j * n + i];
  }
  std::vector<double> f;
  for (const Limits& l : limits) f.push_back(l.low);
  constexpr int kSweeps = 300;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!(gram[i * n + i] > 0)) continue;
      double rest = right[i];
      for (std::size_t j = 0; j < n; ++j) rest -= j == i ? 0 : gram[i * n + j] * f[j];
      f[i] = std::clamp(rest / gram[i * n + i], limits[i].low, limits[i].high);
    }
  }
  double residual = energy;
  for (std::size_t i = 0; i < n; ++i) {
    residual -= 2 * f[i] * right[i];
    for (std::size_t j = 0; j < n; ++j) residual += f[i] * f[j] * gram[i * n + j];
  }
  return std::max(0.0, (residual - noise) / energy);
}

using Agreement = SiteComparison::Agreement;

bool explains_far_more(const Agreement& now, const Agreement& changed, double share) {
  constexpr double kLeastDifference = 0.005;
  return changed.missed < share * now.missed && now.missed - changed.missed > kLeastDifference;
}

// Weak elements explain little of XRT: a change may only bring them back to where matter is.
bool returns_inside(const Agreement& now, const Agreement& changed) {
  constexpr double kMuch = 0.1;
  constexpr double kFarLess = 0.2;
  return now.outside > kMuch && changed.outside < kFarLess * now.outside &&
         changed.missed <= now.missed;
}

}  // namespace

std::string change_text(RayChange change, double sum_of_ends) {
  switch (change) {
    case RayChange::kNone:
      break;
    case RayChange::kMirrored:
      return "its detector axis mirrored (angle_offset = \"180 deg\")";
    case RayChange::kReversed:
      return "its angles reversed in sign (reverse_angles = true)";
    case RayChange::kBoth:
      return "its angles reversed in sign and its detector axis mirrored (reverse_angles = true "
             "and angle_offset = \"180 deg\")";
    case RayChange::kReversedOrder:
      return fmt::format(
          "its angles in the opposite order (reverse_angles = true and angle_offset = \"{:.6g} "
          "deg\")",
          -sum_of_ends * 180 / kPi);
  }
  return "no change";
}

SiteComparison::SiteComparison(const std::vector<const Site*>& sites,
                               const std::vector<const SiteData*>& data, const Site& xrt,
                               const SiteData& xrt_data, Factors factors)
    : factors_(factors) {
  const double noise = noise_of(xrt, xrt_data);
  xrt_ = coarse_site(xrt, xrt_data, noise);
  const double largest = static_cast<double>(*std::ranges::max_element(xrt_.values.values()));
  dark_ = std::max(3 * noise / std::sqrt(xrt_.binned), 0.03 * largest);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    FIRM_CHECK(data[i]->values.columns() == xrt_data.values.columns());
    Seen seen{coarse_site(*sites[i], *data[i], noise_of(*sites[i], *data[i])),
              sites[i]->coefficient,
              {},
              0};
    seen.image = fit_coarse(seen.site).image;
    const auto [low, high] = std::ranges::minmax(sites[i]->geometry.angles);
    seen.sum_of_ends = low + high;
    unchanged_.push_back(along_xrt(seen, RayChange::kNone, 1));
    xrf_.push_back(std::move(seen));
  }
}

Block SiteComparison::along_xrt(const Seen& seen, RayChange change, double scale) const {
  Geometry g = xrt_.geometry;
  g.image_rows = seen.site.geometry.image_rows;
  g.image_columns = seen.site.geometry.image_columns;
  g.pixel_size = seen.site.geometry.pixel_size;
  // The object is `scale` times as large as its image.
  g.spacing /= scale;
  for (double& angle : g.angles) angle = changed_angle(angle, change, seen.sum_of_ends);
  return project(g, seen.image);
}

SiteComparison::Agreement SiteComparison::agreement(std::size_t site, RayChange change,
                                                    double scale) const {
  std::vector<Block> changed(xrf_.size());
  std::vector<const Block*> parts;
  std::vector<Limits> limits(xrf_.size());
  for (std::size_t i = 0; i < xrf_.size(); ++i) {
    if (factors_ == Factors::kLimited) {
      limits[i] = {xrf_[i].coefficient / kTolerance, xrf_[i].coefficient * kTolerance};
    }
    const bool same = (site != i && site != count()) || (change == RayChange::kNone && scale == 1);
    if (!same) changed[i] = along_xrt(xrf_[i], change, scale);
    parts.push_back(same ? &unchanged_[i] : &changed[i]);
  }
  Agreement result;
  result.missed = least_residual(parts, limits, xrt_);
  double all = 0;
  double outside = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (site != i && site != count()) continue;
    for (std::size_t k = 0; k < parts[i]->size(); ++k) {
      if (!(xrt_.precision.data()[k] > 0)) continue;
      const auto p = static_cast<double>(parts[i]->data()[k]);
      all += p * p;
      if (static_cast<double>(xrt_.values.data()[k]) < dark_) outside += p * p;
    }
  }
  if (all > 0) result.outside = outside / all;
  return result;
}

std::optional<RayChange> SiteComparison::demanded_change(std::size_t site, double share) const {
  const Agreement now = agreement(site, RayChange::kNone);
  std::optional<RayChange> best;
  double least = std::numeric_limits<double>::infinity();
  for (const RayChange change : kChanges) {
    const Agreement changed = agreement(site, change);
    if (!explains_far_more(now, changed, share) && !returns_inside(now, changed)) continue;
    // Symmetric objects hardly distinguish changes: the first of them is the usual one.
    if (changed.missed + changed.outside >= 0.8 * least) continue;
    best = change;
    least = changed.missed + changed.outside;
  }
  return best;
}

std::optional<RayChange> SiteComparison::demanded_change_of_xrt(double share) const {
  if (count() < 2) return {};
  const auto all = demanded_change(count(), share);
  if (!all) return {};
  const double missed = agreement(count(), *all).missed;
  for (std::size_t i = 0; i < count(); ++i) {
    const auto change = demanded_change(i, share);
    if (change && agreement(i, *change).missed <= missed) return {};
  }
  return all;
}

std::string SiteComparison::text_of(std::size_t site, RayChange change) const {
  return change_text(change, xrf_[std::min(site, count() - 1)].sum_of_ends);
}

std::optional<double> SiteComparison::demanded_scale(std::size_t site) const {
  constexpr int kSteps = 16;  // of a quarter of an octave, to each side
  const Agreement now = agreement(site, RayChange::kNone);
  std::optional<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (int step = -kSteps; step <= kSteps; ++step) {
    if (std::abs(step) < 2) continue;  // rotation axis and noise make such differences
    const double scale = std::exp2(step / 4.0);
    const Agreement changed = agreement(site, RayChange::kNone, scale);
    const bool better = factors_ == Factors::kLimited && explains_far_more(now, changed, 0.5);
    if ((!better && !returns_inside(now, changed)) || changed.missed >= least) continue;
    best = scale;
    least = changed.missed;
  }
  return best;
}

std::vector<SiteWarning> compare_sites(const std::vector<Site>& sites,
                                       const std::vector<SiteData>& data) {
  if (sites.size() < 2) return {};
  std::vector<const Site*> xrf;
  std::vector<const SiteData*> values;
  for (std::size_t i = 0; i + 1 < sites.size(); ++i) {
    xrf.push_back(&sites[i]);
    values.push_back(&data[i]);
  }
  const SiteComparison comparison(xrf, values, sites.back(), data.back());
  if (const auto change = comparison.demanded_change_of_xrt()) {
    return {{xrf.size(), fmt::format("its data contradicts that of the other sites, but fits with "
                                     "{}",
                                     comparison.text_of(xrf.size(), *change))}};
  }
  std::vector<SiteWarning> warnings;
  for (std::size_t i = 0; i < xrf.size(); ++i) {
    const auto change = comparison.demanded_change(i);
    if (!change) continue;
    warnings.push_back(
        {i, fmt::format("its data contradicts that of {0}, but fits with {1}; or {0} needs that "
                        "change",
                        sites.back().name, comparison.text_of(i, *change))});
  }
  return warnings;
}

}  // namespace firm
