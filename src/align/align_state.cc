#include "align/align_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "align/small_fit.h"
#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr double kSmoothing = 2;  // standard deviation of the Gaussian, in bins
constexpr std::size_t kReach = 6;

void require_same_motion(const Site& site, const Site& first, const std::string& scan) {
  const auto refuse = [&](const std::string& what, double expected, double found) {
    throw usage_error(
        {"site " + site.name, what,
         fmt::format("{} as site {} of the same scan {} has", expected, first.name, scan),
         fmt::format("{}", found)});
  };
  const Geometry& a = site.geometry;
  const Geometry& b = first.geometry;
  if (a.angles.size() != b.angles.size()) {
    refuse("angles", static_cast<double>(b.angles.size()), static_cast<double>(a.angles.size()));
  }
  if (std::abs(a.spacing - b.spacing) > 1e-6 * b.spacing) refuse("spacing", b.spacing, a.spacing);
  for (std::size_t k = 0; k < a.angles.size(); ++k) {
    if (std::abs(a.angles[k] - b.angles[k]) > 1e-6) {
      refuse(fmt::format("angle {}", k), b.angles[k], a.angles[k]);
    }
  }
}

std::vector<double> gaussian() {
  std::vector<double> kernel(2 * kReach + 1);
  double sum = 0;
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    const double x = (static_cast<double>(k) - static_cast<double>(kReach)) / kSmoothing;
    kernel[k] = std::exp(-x * x / 2);
    sum += kernel[k];
  }
  for (double& value : kernel) value /= sum;
  return kernel;
}

// out = kernel * in, with 0 beyond the ends.
void smooth(const std::vector<double>& kernel, const std::vector<double>& in,
            std::vector<double>& out) {
  for (std::size_t m = 0; m < in.size(); ++m) {
    double sum = 0;
    const std::size_t first = m < kReach ? kReach - m : 0;
    const std::size_t last = std::min(kernel.size(), in.size() + kReach - m);
    for (std::size_t k = first; k < last; ++k) sum += kernel[k] * in[m + k - kReach];
    out[m] = sum;
  }
}

// Data b = -ln(gain) + ... of XRT, gain * ... of XRF.
float without_gain(float value, double gain, bool transmission) {
  if (transmission) return value + static_cast<float>(std::log(gain));
  return value / static_cast<float>(gain);
}

}  // namespace

void copy_images(const ScanFit& from, ScanFit& to) {
  const Geometry& a = from.geometry();
  const Geometry& b = to.geometry();
  const auto index = [&](int k) {
    const double x = (k + 0.5 - b.image_rows / 2.0) * b.pixel_size;
    const int at = static_cast<int>(std::floor(x / a.pixel_size + a.image_rows / 2.0));
    return static_cast<std::size_t>(std::clamp(at, 0, a.image_rows - 1));
  };
  const auto columns = static_cast<std::size_t>(b.image_columns);
  for (std::size_t p = 0; p < b.pixels(); ++p) {
    const std::size_t row = index(static_cast<int>(p / columns));
    const std::size_t column = index(static_cast<int>(p % columns));
    const std::size_t q = row * static_cast<std::size_t>(a.image_columns) + column;
    for (std::size_t c = 0; c < to.columns(); ++c) to.images()(p, c) = from.images()(q, c);
  }
}

void remove_position(const std::vector<double>& angles, bool constant,
                     std::vector<double>& values) {
  std::vector<double> basis;
  const std::size_t size = constant ? 3 : 2;
  for (const double angle : angles) {
    basis.insert(basis.end(), {std::cos(angle), std::sin(angle)});
    if (constant) basis.push_back(1);
  }
  const std::vector<double> weights(angles.size(), 1.0);
  const std::vector<double> x = weighted_fit(basis, size, values, weights);
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t j = 0; j < size; ++j) values[k] -= x[j] * basis[k * size + j];
  }
}

namespace {

std::vector<RowSums> rows_of(const SiteData& data, std::size_t beamlets) {
  std::vector<RowSums> rows;
  std::vector<float> values(beamlets);
  std::vector<float> weights(data.weights.rows() > 0 ? beamlets : 0);
  for (std::size_t first = 0; first < data.values.rows(); first += beamlets) {
    for (std::size_t z = 0; z < data.values.columns(); ++z) {
      for (std::size_t j = 0; j < beamlets; ++j) values[j] = data.values(first + j, z);
      for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = data.weights(first + j, z);
      rows.emplace_back(values, weights);
    }
  }
  return rows;
}

}  // namespace

void SiteState::read() {
  const SiteData data = source.data(lag);
  slices = data.values.columns();
  rows = rows_of(data, beamlets);
  if (measured.empty()) measured = lag > 0 ? rows_of(source.data(0), beamlets) : rows;
}

std::vector<double> ScanState::angles() const {
  std::vector<double> scaled = nominal;
  for (double& angle : scaled) angle = nominal.front() + angle_scale * (angle - nominal.front());
  return scaled;
}

AlignState::AlignState(const Study& study, const std::vector<AlignSite>& hosted, int threads)
    : study_(study), threads_(thread_count(threads)) {
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const Site& site = study.sites[i];
    auto scan = std::ranges::find(scans_, site.scan_name(), &ScanState::name);
    if (scan == scans_.end()) {
      scans_.emplace_back();
      scan = scans_.end() - 1;
      scan->name = site.scan_name();
      scan->nominal = site.geometry.angles;
      scan->spacing = site.geometry.spacing;
      scan->shifts = site.geometry.shifts;
      scan->shifts.resize(scan->nominal.size());
      scan->used.assign(scan->nominal.size(), 1);
    } else {
      require_same_motion(site, study.sites[scan->sites.front()], scan->name);
    }
    scan->sites.push_back(i);
    const auto here = std::ranges::find(hosted, i, &AlignSite::site);
    if (here == hosted.end()) continue;
    SiteState& state = sites_.emplace_back();
    state.source = *here;
    state.scan = static_cast<std::size_t>(scan - scans_.begin());
    state.transmission = site.kind == SiteKind::kXrt;
    state.sigma = site.sigma;
    state.beamlets = static_cast<std::size_t>(site.geometry.beamlets);
    state.axis = site.geometry.rotation_axis;
    state.lag = here->lag;
    state.gain.assign(scan->nominal.size(), 1.0);
    state.read();
    scan->hosted.push_back(sites_.size() - 1);
  }
}

std::vector<int> AlignState::levels() const {
  constexpr double kLeastPixels = 24;
  constexpr int kMost = 16;
  double pixels = 0;
  for (const ScanState& scan : scans_) {
    const double side = std::max(study_.image_rows, study_.image_columns) * study_.pixel_size;
    pixels = std::max(pixels, side / scan.spacing);
  }
  std::vector<int> levels{1};
  while (levels.front() < kMost && pixels / (2 * levels.front()) >= kLeastPixels) {
    levels.insert(levels.begin(), 2 * levels.front());
  }
  return levels;
}

Geometry AlignState::geometry_of(const ScanState& scan) const {
  Geometry g;
  const double width = level_ * scan.spacing;
  const double side = std::max(study_.image_rows, study_.image_columns) * study_.pixel_size;
  g.image_rows = 2 * std::max(1, static_cast<int>(std::ceil(side / width / 2 - 1e-9)));
  g.image_columns = g.image_rows;
  g.pixel_size = width;
  g.angles = scan.angles();
  std::size_t beamlets = 0;
  for (const std::size_t i : scan.sites) {
    beamlets = std::max(beamlets, static_cast<std::size_t>(study_.sites[i].geometry.beamlets));
  }
  g.beamlets = static_cast<int>((beamlets + static_cast<std::size_t>(level_) - 1) /
                                static_cast<std::size_t>(level_)) +
               2;
  g.spacing = width;
  g.rotation_axis = g.beamlets / 2.0;
  return g;
}

void AlignState::set_level(int level) {
  level_ = level;
  remake_fits();
}

void AlignState::remake_fits() {
  for (ScanState& scan : scans_) {
    if (scan.hosted.empty()) continue;
    std::size_t columns = 0;
    for (const std::size_t h : scan.hosted) {
      sites_[h].first_column = columns;
      columns += sites_[h].slices;
    }
    auto fit = std::make_unique<ScanFit>(geometry_of(scan), columns, threads_);
    if (scan.fit) copy_images(*scan.fit, *fit);
    scan.fit = std::move(fit);
  }
}

void AlignState::forget_images() {
  for (ScanState& scan : scans_) {
    if (scan.fit) std::ranges::fill(scan.fit->images().values(), 0.0f);
  }
}

void AlignState::resample(const SiteState& site, ScanFit& fit) const {
  const ScanState& scan = scans_[site.scan];
  const std::size_t bins = fit.bins();
  parallel_for(scan.nominal.size(), threads_, [&](std::size_t k) {
    std::vector<float> means(bins);
    std::vector<float> used(bins);
    const Bins grid{bins, static_cast<double>(level_), site.axis + scan.shifts[k]};
    for (std::size_t z = 0; z < site.slices; ++z) {
      site.rows[k * site.slices + z].resample(grid, means, used);
      const std::size_t column = site.first_column + z;
      for (std::size_t m = 0; m < bins; ++m) {
        const bool counts = used[m] > 0 && scan.used[k] != 0;
        fit.data()(k * bins + m, column) =
            counts ? without_gain(means[m], site.gain[k], site.transmission) : 0;
        fit.weights()(k * bins + m, column) = counts ? 1 : 0;
      }
    }
  });
}

void AlignState::resample() {
  for (const SiteState& site : sites_) resample(site, *scans_[site.scan].fit);
}

void AlignState::fit(int steps) {
  resample();
  for (ScanState& scan : scans_) {
    if (scan.fit) scan.fit->fit(steps);
  }
  for (SiteState& site : sites_) measure_slopes(site, *scans_[site.scan].fit);
}

// p and the masked residual r are smoothed, p' is a central difference. Where values around a bin
// are masked, its p'^2 counts less, as its r does.
void AlignState::measure_slopes(SiteState& site, const ScanFit& fit) const {
  static const std::vector<double> kernel = gaussian();
  const std::size_t angles = scans_[site.scan].nominal.size();
  const std::size_t bins = fit.bins();
  const double weight = 1 / (site.sigma * site.sigma);
  site.slopes.n.assign(angles, 0);
  site.slopes.d.assign(angles, 0);
  site.slopes.v.assign(angles, 0);
  parallel_for(angles, threads_, [&](std::size_t k) {
    std::vector<double> p(bins), r(bins), mask(bins), smooth_p(bins), smooth_r(bins),
        smooth_mask(bins), slopes(bins);
    for (std::size_t z = 0; z < site.slices; ++z) {
      const std::size_t column = site.first_column + z;
      for (std::size_t m = 0; m < bins; ++m) {
        const std::size_t ray = k * bins + m;
        p[m] = fit.predicted()(ray, column);
        mask[m] = fit.weights()(ray, column);
        r[m] = mask[m] * (p[m] - static_cast<double>(fit.data()(ray, column)));
      }
      smooth(kernel, p, smooth_p);
      smooth(kernel, r, smooth_r);
      smooth(kernel, mask, smooth_mask);
      double squares = 0, count = 0;
      for (std::size_t m = 1; m + 1 < bins; ++m) {
        slopes[m] = (smooth_p[m + 1] - smooth_p[m - 1]) / 2;
        site.slopes.n[k] += weight * slopes[m] * smooth_r[m];
        site.slopes.d[k] += weight * slopes[m] * slopes[m] * smooth_mask[m];
        squares += r[m] * r[m];
        count += mask[m];
      }
      smooth(kernel, slopes, smooth_p);  // N = sum (G p') r
      for (std::size_t m = 0; m < bins && count > 0; ++m) {
        site.slopes.v[k] += weight * weight * smooth_p[m] * smooth_p[m] * squares / count;
      }
    }
  });
}

AlignState::Misfit AlignState::misfit(const SiteState& site, std::size_t first,
                                      std::size_t last) const {
  const ScanFit& fit = *scans_[site.scan].fit;
  Misfit sum;
  for (std::size_t ray = first * fit.bins(); ray < last * fit.bins(); ++ray) {
    for (std::size_t c = site.first_column; c < site.first_column + site.slices; ++c) {
      const double weight = fit.weights()(ray, c);
      const double r = static_cast<double>(fit.predicted()(ray, c)) - fit.data()(ray, c);
      sum.squares += weight * r * r / (site.sigma * site.sigma);
      sum.values += weight;
    }
  }
  return sum;
}

AlignState::Misfit AlignState::lagged_misfit(const SiteState& site, std::size_t first,
                                             std::size_t last) const {
  const ScanState& scan = scans_[site.scan];
  const std::size_t bins = scan.fit->bins();
  const double a = site.lag > 0 ? std::exp(-level_ / site.lag) : 0;
  std::vector<float> means(bins);
  std::vector<float> used(bins);
  Misfit sum;
  for (std::size_t k = first; k < last; ++k) {
    if (scan.used[k] == 0) continue;
    const Bins grid{bins, static_cast<double>(level_), site.axis + scan.shifts[k]};
    for (std::size_t z = 0; z < site.slices; ++z) {
      site.measured[k * site.slices + z].resample(grid, means, used);
      double before = 0;
      for (std::size_t m = 0; m < bins; ++m) {
        double p = scan.fit->predicted()(k * bins + m, site.first_column + z);
        if (site.source.logarithm) p = std::exp(-p);
        before = m == 0 ? p : a * before + (1 - a) * p;
        if (used[m] == 0) continue;
        const double lagged = site.source.logarithm ? -std::log(before) : before;
        const double b = without_gain(means[m], site.gain[k], site.transmission);
        sum.squares += (lagged - b) * (lagged - b) / (site.sigma * site.sigma);
        sum.values += 1;
      }
    }
  }
  return sum;
}

AlignSnapshot AlignState::snapshot() const {
  AlignSnapshot s;
  for (const ScanState& scan : scans_) {
    s.scans.push_back({scan.angle_scale, scan.shifts, scan.fit ? scan.fit->images() : Block()});
  }
  for (const SiteState& site : sites_) s.sites.push_back({site.axis, site.lag, site.gain});
  return s;
}

void AlignState::restore(const AlignSnapshot& s) {
  bool turned = false;
  for (std::size_t k = 0; k < scans_.size(); ++k) {
    turned = turned || scans_[k].angle_scale != s.scans[k].angle_scale;
    scans_[k].angle_scale = s.scans[k].angle_scale;
    scans_[k].shifts = s.scans[k].shifts;
  }
  if (turned) remake_fits();
  for (std::size_t k = 0; k < scans_.size(); ++k) {
    if (scans_[k].fit) scans_[k].fit->images() = s.scans[k].images;
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const bool lagged = sites_[i].lag != s.sites[i].lag;
    sites_[i].axis = s.sites[i].axis;
    sites_[i].lag = s.sites[i].lag;
    sites_[i].gain = s.sites[i].gain;
    if (lagged) sites_[i].read();
  }
}

}  // namespace firm
