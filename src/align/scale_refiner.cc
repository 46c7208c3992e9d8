#include "align/scale_refiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "align/profile.h"

namespace firm {
namespace {

constexpr int kIterations = 60;
constexpr int kWithout = 20;  // iterations without a block
constexpr double kKnown = 0.3;
constexpr double kLowerEdge = 0.15;  // quantile of the ratios
constexpr double kStrong = 0.3;      // of the largest q: rays that tell about a site
constexpr double kSolid = 0.15;      // of the density of the element as a solid
constexpr double kLeastUncertainty = 0.03;
constexpr double kOfLag = 0.015;  // per beamlet, as seen on simulated scans
constexpr int kSteps = 40;
constexpr double kSmoothing = 3;  // beamlets

double quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

// The sinogram of a hosted XRF site along the rays of XRT.
struct Explained {
  std::size_t site = 0;  // in AlignState::sites()
  bool open = false;
  std::vector<float> q;
  double f = 1;
};

// The values of XRT, where it is hosted.
struct Measured {
  std::vector<float> values;
  std::vector<float> usable;
  double noise = 0;
};

class ScaleFit {
 public:
  ScaleFit(AlignState& state, Collective& collective);

  void run(Refinement& result);

 private:
  bool hosts_xrt() const { return !measured_.values.empty(); }
  std::vector<float> projected(const SiteState& site) const;
  std::vector<float> smoothed(const std::vector<float>& rows) const;
  void iterate(int iterations);
  // e, then p e and p, for the present factors.
  void take_sums();
  void weigh();
  double unexplained();
  Found found(const Explained& one, const std::vector<double>& without, double unexplained);
  std::vector<double> ratios(const Explained& one) const;
  void take_lower_edges();
  bool is_solid(const Explained& one) const;

  AlignState& state_;
  Collective& collective_;
  Geometry rays_;
  std::size_t slices_ = 0;
  double open_sites_ = 0;
  std::vector<Explained> explained_;
  Measured measured_;
  double lag_ = 0;                  // of XRT, beamlets
  std::size_t left_out_ = kBlocks;  // block of angles without weight; kBlocks: none
  std::vector<float> e_;
  std::vector<float> weighted_;  // p e, then p
};

ScaleFit::ScaleFit(AlignState& state, Collective& collective)
    : state_(state), collective_(collective) {
  const std::size_t xrt = state.study().sites.size() - 1;
  const auto scan = std::ranges::find_if(state.scans(), [&](const ScanState& s) {
    return std::ranges::find(s.sites, xrt) != s.sites.end();
  });
  rays_ = state.geometry_of(*scan);
  slices_ = state.sites().front().slices;
  const std::size_t size = rays_.rays() * slices_;
  for (std::size_t i = 0; i < state.sites().size(); ++i) {
    const SiteState& site = state.sites()[i];
    if (!site.transmission) {
      Explained& one = explained_.emplace_back();
      one.site = i;
      one.open = site.source.open_scale && !site.source.mixed;
      one.q = smoothed(projected(site));
      if (site.source.mixed) one.f = 0;
      continue;
    }
    const ScanFit& fit = *state.scans()[site.scan].fit;
    for (std::size_t ray = 0; ray < rays_.rays(); ++ray) {
      for (std::size_t z = 0; z < slices_; ++z) {
        measured_.values.push_back(fit.data()(ray, site.first_column + z));
        measured_.usable.push_back(fit.weights()(ray, site.first_column + z));
      }
    }
    measured_.noise = site.sigma / std::sqrt(state.level());
    measured_.values = smoothed(measured_.values);
    // Rays beside a masked one have lost a part of their sum.
    for (float& usable : measured_.usable = smoothed(measured_.usable)) {
      usable = usable > 0.99f ? 1 : 0;
    }
  }
  e_.resize(size);
  weighted_.resize(2 * size);
  for (const Explained& one : explained_) open_sites_ += one.open ? 1 : 0;
  collective_.sum({}, std::span(&open_sites_, 1));
  // Factors that only their site knows, not 0: the first e would be the measurements of XRT.
  for (Explained& one : explained_) {
    const float largest = *std::ranges::max_element(one.q);
    if (one.open) one.f = largest > 0 ? 0.5 / (open_sites_ * static_cast<double>(largest)) : 0;
  }
}

std::vector<float> ScaleFit::projected(const SiteState& site) const {
  const ScanFit& own = *state_.scans()[site.scan].fit;
  ScanFit along_xrt(rays_, own.columns(), state_.threads());
  copy_images(own, along_xrt);
  along_xrt.predict();
  const auto c = static_cast<float>(state_.study().sites[site.source.site].coefficient);
  std::vector<float> q;
  for (std::size_t ray = 0; ray < rays_.rays(); ++ray) {
    for (std::size_t z = 0; z < slices_; ++z) {
      q.push_back(c * along_xrt.predicted()(ray, site.first_column + z));
    }
  }
  return q;
}

// Smoothed along the detector, so that neither the width of a beamlet nor what was done against a
// lag makes a difference. Values at the ends are taken to go on beyond them.
std::vector<float> ScaleFit::smoothed(const std::vector<float>& rows) const {
  const double sigma = kSmoothing / state_.level();
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> kernel;
  double total = 0;
  for (int k = -reach; k <= reach; ++k) {
    kernel.push_back(std::exp(-k * k / (2 * sigma * sigma)));
    total += kernel.back();
  }
  std::vector<float> out(rows.size());
  for (std::size_t angle = 0; angle < rays_.angles.size(); ++angle) {
    for (int m = 0; m < rays_.beamlets; ++m) {
      for (std::size_t z = 0; z < slices_; ++z) {
        const auto at = [&](int bin) {
          const auto inside = static_cast<std::size_t>(std::clamp(bin, 0, rays_.beamlets - 1));
          return (angle * static_cast<std::size_t>(rays_.beamlets) + inside) * slices_ + z;
        };
        double sum = 0;
        for (int k = -reach; k <= reach; ++k) {
          sum += kernel[static_cast<std::size_t>(k + reach)] * rows[at(m + k)];
        }
        out[at(m)] = static_cast<float>(sum / total);
      }
    }
  }
  return out;
}

// XRT knows which rays count, and by how much.
void ScaleFit::weigh() {
  std::ranges::fill(weighted_, 0.0f);
  if (!hosts_xrt()) return;
  const std::size_t size = e_.size();
  const auto bins = static_cast<std::size_t>(rays_.beamlets);
  const auto [first, last] =
      left_out_ < kBlocks ? block_of(left_out_, rays_.angles.size()) : std::pair(size, size);
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t angle = k / slices_ / bins;
    if (measured_.usable[k] == 0 || (angle >= first && angle < last)) continue;
    weighted_[k] = e_[k];
    weighted_[size + k] = 1;
  }
}

void ScaleFit::take_sums() {
  std::ranges::fill(e_, 0.0f);
  for (const Explained& one : explained_) {
    for (std::size_t k = 0; k < e_.size(); ++k) e_[k] += static_cast<float>(one.f) * one.q[k];
  }
  for (std::size_t k = 0; k < measured_.values.size(); ++k) e_[k] -= measured_.values[k];
  collective_.sum(e_, {});
  weigh();
  collective_.sum(weighted_, {});
}

void ScaleFit::iterate(int iterations) {
  for (int n = 0; n < iterations; ++n) {
    if (state_.study().other) {
      take_lower_edges();
      continue;
    }
    take_sums();
    for (Explained& one : explained_) {
      if (!one.open) continue;
      double slope = 0, curvature = 0;
      for (std::size_t k = 0; k < e_.size(); ++k) {
        const double q = one.q[k];
        slope += q * weighted_[k];
        curvature += q * q * weighted_[e_.size() + k];
      }
      if (curvature > 0) one.f = std::max(0.0, one.f - slope / curvature / open_sites_);
    }
  }
}

// Part of XRT that elements and noise leave unexplained; other matter is expected if the study says
// so.
double ScaleFit::unexplained() {
  double sums[3] = {0, 0, 0};
  for (std::size_t k = 0; k < measured_.values.size(); ++k) {
    const double noise = measured_.noise;
    sums[0] += static_cast<double>(weighted_[k]) * e_[k] -
               static_cast<double>(weighted_[e_.size() + k]) * noise * noise;
    sums[1] +=
        static_cast<double>(weighted_[e_.size() + k]) * measured_.values[k] * measured_.values[k];
  }
  for (const SiteState& site : state_.sites()) {
    if (site.transmission) sums[2] = site.lag;
  }
  collective_.sum({}, sums);
  lag_ = sums[2];
  return sums[1] > 0 ? std::sqrt(std::max(0.0, sums[0]) / sums[1]) : 1;
}

// Ratios of what XRT leaves to one site and its q, on the rays where it is strong; sorted.
std::vector<double> ScaleFit::ratios(const Explained& one) const {
  const float strong = static_cast<float>(kStrong) * *std::ranges::max_element(one.q);
  std::vector<double> found;
  for (std::size_t k = 0; k < one.q.size(); ++k) {
    if (one.q[k] < strong || weighted_[e_.size() + k] == 0) continue;
    found.push_back(one.f - static_cast<double>(e_[k]) / one.q[k]);
  }
  std::ranges::sort(found);
  return found;
}

// With other matter the ratios begin at f and reach up from there.
void ScaleFit::take_lower_edges() {
  take_sums();
  for (Explained& one : explained_) {
    if (!one.open) continue;
    const std::vector<double> sorted = ratios(one);
    if (!sorted.empty()) one.f = std::max(0.0, quantile(sorted, kLowerEdge));
  }
}

// Whether the element is so dense that there is hardly room for other matter.
bool ScaleFit::is_solid(const Explained& one) const {
  const SiteState& site = state_.sites()[one.site];
  if (site.source.solid_density <= 0) return false;
  const ScanFit& fit = *state_.scans()[site.scan].fit;
  double largest = 0;
  for (std::size_t p = 0; p < fit.images().rows(); ++p) {
    for (std::size_t z = 0; z < slices_; ++z) {
      largest = std::max<double>(largest, fit.images()(p, site.first_column + z));
    }
  }
  return one.f * largest >= kSolid * site.source.solid_density;
}

Found ScaleFit::found(const Explained& one, const std::vector<double>& without,
                      double unexplained) {
  double relative = jackknife(without) / one.f;
  if (state_.study().other) {
    const std::vector<double> sorted = ratios(one);
    const double spread = quantile(sorted, 2 * kLowerEdge) - quantile(sorted, kLowerEdge / 2);
    relative = is_solid(one) ? std::hypot(relative, spread / (2 * one.f)) : 1;
  } else {
    relative = std::hypot(relative, unexplained);
  }
  // Covers the rest of a lag, and small transmissions that had to be left out.
  relative = std::hypot(relative, kOfLag * lag_);
  return {one.f, one.f * std::max(relative, kLeastUncertainty)};
}

void ScaleFit::run(Refinement& result) {
  iterate(kIterations);
  take_sums();
  const double rest = unexplained();
  std::vector<double> factors;
  for (const Explained& one : explained_) factors.push_back(one.f);
  std::vector<std::vector<double>> without(explained_.size());
  for (left_out_ = 0; left_out_ < kBlocks; ++left_out_) {
    for (std::size_t i = 0; i < factors.size(); ++i) explained_[i].f = factors[i];
    iterate(kWithout);
    for (std::size_t i = 0; i < factors.size(); ++i) without[i].push_back(explained_[i].f);
  }
  for (std::size_t i = 0; i < factors.size(); ++i) explained_[i].f = factors[i];
  take_sums();  // with all blocks
  for (std::size_t i = 0; i < factors.size(); ++i) {
    Explained& one = explained_[i];
    RefinedSite& site = result.sites[one.site];
    if (state_.sites()[one.site].source.mixed) {
      site.coupled = false;
    }
    if (!one.open) continue;
    if (one.f <= 0) {
      site.coupled = false;
      result.warnings.push_back(fmt::format(
          "{}: its scale is not known: XRT leaves nothing where the site is strong, as happens if "
          "scans are not aligned (refine shifts, axis and lag, too); the site is left out of the "
          "coupling with XRT, and its image is in counts",
          site.name));
      continue;
    }
    site.scale = found(one, without[i], rest);
    site.coupled = site.scale->uncertainty <= kKnown * one.f;
    if (site.coupled) continue;
    result.warnings.push_back(fmt::format(
        "{}: its scale is not known to 30 % ({:.3g} +- {:.2g} g/cm^2 per count), so the site is "
        "left out of the coupling with XRT; its image is in counts",
        site.name, one.f, site.scale->uncertainty));
  }
}

}  // namespace

void ScaleRefiner::conclude(AlignState& state, Collective& collective, Refinement& result) {
  state.fit(kSteps);
  ScaleFit(state, collective).run(result);
}

}  // namespace firm
