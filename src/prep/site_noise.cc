#include "prep/site_noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace firm {
namespace {

constexpr double kNoNoise = 1e-5;  // of the largest value: smaller noise is rounding
constexpr double kFloor = 1e-3;
// Least deviation relative to that of the signal. Rays without a signal would otherwise count up to
// the number of photons times as much as those with one, and no image would ever fit the latter.
constexpr double kWidest = 0.1;
constexpr double kQuiet = 3;  // factor by which noise may be below that of photons

double largest_size(const SiteData& data) {
  double most = 0;
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    if (data.weights.rows() > 0 && data.weights.data()[k] <= 0) continue;
    most = std::max(most, std::abs(static_cast<double>(data.values.data()[k])));
  }
  return most;
}

// Root mean square of the deviations of values of at least a fifth of the largest.
double signal_deviation(const Block& deviation, const SiteData& data) {
  const double strong = largest_size(data) / 5;
  double squares = 0, count = 0;
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    if (data.weights.rows() > 0 && data.weights.data()[k] <= 0) continue;
    if (static_cast<double>(data.values.data()[k]) < strong) continue;
    squares += std::pow(static_cast<double>(deviation.data()[k]), 2);
    count += 1;
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

double seen_noise(const KnownNoise& known, const Site& site, const SiteData& data) {
  if (known.seen) return *known.seen;
  const auto beamlets = static_cast<std::size_t>(site.geometry.beamlets);
  return estimate_noise(data.values, data.weights, beamlets);
}

std::string apply_estimate(const SiteEntry& entry, const KnownNoise& known, Site& site,
                           const SiteData& data) {
  if (entry.estimated_sigma) {
    site.sigma = *entry.estimated_sigma;
    return "";
  }
  const double largest = largest_size(data);
  site.sigma = seen_noise(known, site, data);
  if (site.sigma > kNoNoise * largest) return "";
  site.sigma = largest > 0 ? kFloor * largest : 1;
  return fmt::format("site {}: sigma = \"estimate\", but the values show no noise; using {:.3g}",
                     site.name, site.sigma);
}

std::string apply_counts(const SiteEntry& entry, const KnownNoise& known, Site& site,
                         SiteData& data) {
  const Block& deviation = known.deviation;
  if (entry.estimated_sigma) {
    site.sigma = *entry.estimated_sigma;
    weigh(deviation, site.sigma, data.weights);
    return "";
  }
  site.sigma = best_deviation(deviation, data.weights);
  if (!(site.sigma > 0)) {
    site.sigma = 1;
    return fmt::format("site {}: sigma = \"counts\", but all values are masked or 0; using 1",
                       site.name);
  }
  const double seen = seen_noise(known, site, data);
  const double best = site.sigma;
  site.sigma = std::max(best, kWidest * signal_deviation(deviation, data));
  weigh(deviation, site.sigma, data.weights);
  if (seen == 0 || seen > best / kQuiet) return "";
  return fmt::format(
      "site {}: sigma = \"counts\", but the noise of the values is {:.2g}, not {:.2g}: they are no "
      "counts of single photons; sigma = \"estimate\" fits better",
      site.name, seen, best);
}

}  // namespace

Block counted_deviation(const SiteEntry& entry, const Counted& counted, const Block& b) {
  if (entry.noise != Noise::kCounts) return {};
  return entry.kind == "xrt" ? transmission_deviation(counted, b)
                             : fluorescence_deviation(counted, b);
}

std::string apply_noise(const SiteEntry& entry, const KnownNoise& known, Site& site,
                        SiteData& data) {
  std::string warning;
  site.sigma = entry.sigma_value();
  if (entry.noise == Noise::kEstimated) warning = apply_estimate(entry, known, site, data);
  if (entry.noise == Noise::kCounts) warning = apply_counts(entry, known, site, data);
  site.weighted_values =
      std::ranges::any_of(data.weights.values(), [](float weight) { return weight != 1; });
  if (!site.weighted_values) data.weights = Block();
  return warning;
}

bool may_have_weights(const StudyFile& file, const std::string& site) {
  const SiteEntry& entry = *std::ranges::find(file.sites, site, &SiteEntry::name);
  const Preparation& p = entry.prepare;
  return entry.noise == Noise::kCounts || p.bad_values == "mask" || p.zingers || p.saturation ||
         !entry.shifts_vertical.empty();
}

namespace {

// Sites with and without a sigma in the study.
struct NoiseKeys {
  std::vector<std::size_t> with;
  std::vector<std::size_t> without;
};

NoiseKeys noise_keys(const StudyFile& file) {
  NoiseKeys keys;
  for (std::size_t i = 0; i < file.sites.size(); ++i) {
    const SiteEntry& entry = file.sites[i];
    const bool known = entry.noise != Noise::kGiven || entry.sigma;
    (known ? keys.with : keys.without).push_back(i);
  }
  return keys;
}

}  // namespace

void complete_noise(StudyFile& file) {
  const NoiseKeys keys = noise_keys(file);
  if (keys.with.empty()) return;
  for (const std::size_t i : keys.without) file.sites[i].noise = Noise::kEstimated;
}

std::string warn_noise(const StudyFile& file) {
  const NoiseKeys keys = noise_keys(file);
  if (keys.with.empty() || keys.without.empty()) return "";
  std::vector<std::string> names;
  for (const std::size_t i : keys.without) names.push_back(file.sites[i].name);
  return fmt::format(
      "sigma is given for {}, but not for {}, where it is estimated from the data; give it for all "
      "sites (sigma = \"estimate\" says that this is meant), or for none",
      file.sites[keys.with.front()].name, fmt::join(names, ", "));
}

double guess_noise(const SiteData& data, std::size_t beamlets) {
  constexpr std::size_t kSlices = 8;
  constexpr double kLeast = 0.01;
  const std::size_t slices = std::min(kSlices, data.values.columns());
  const std::size_t first = (data.values.columns() - slices) / 2;
  const auto part = [&](const Block& all) {
    Block some(all.rows(), all.rows() > 0 ? slices : 0);
    for (std::size_t ray = 0; ray < some.rows(); ++ray) {
      for (std::size_t z = 0; z < slices; ++z) some(ray, z) = all(ray, first + z);
    }
    return some;
  };
  const SiteData some{data.site, part(data.values), part(data.weights)};
  return std::max(estimate_noise(some.values, some.weights, beamlets), kLeast * largest_size(some));
}

}  // namespace firm
