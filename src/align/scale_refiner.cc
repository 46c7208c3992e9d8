#include "align/scale_refiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "align/profile.h"

namespace firm {
namespace {

constexpr int kIterations = 60;
constexpr int kFalling = 40;  // iterations until t has fallen to the noise
constexpr int kWithout = 20;  // iterations without a block
constexpr double kKnown = 0.3;
constexpr double kLeastShare = 0.1;
constexpr double kLeastUncertainty = 0.03;
constexpr int kSteps = 40;

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
  double largest = 0;
  double noise = 0;
};

class ScaleFit {
 public:
  ScaleFit(AlignState& state, Collective& collective);

  void run(Refinement& result);

 private:
  bool hosts_xrt() const { return !measured_.values.empty(); }
  std::vector<float> projected(const SiteState& site) const;
  void iterate(int iterations, int falling);
  // e, then p e and p, for the present factors.
  void take_sums(double t);
  void weigh(double t);
  double unexplained();
  Found found(const Explained& one, const std::vector<double>& without, double unexplained) const;

  AlignState& state_;
  Collective& collective_;
  Geometry rays_;
  std::size_t slices_ = 0;
  double open_sites_ = 0;
  std::vector<Explained> explained_;
  Measured measured_;
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
      one.open = site.source.open_scale;
      one.q = projected(site);
      continue;
    }
    const ScanFit& fit = *state.scans()[site.scan].fit;
    for (std::size_t ray = 0; ray < rays_.rays(); ++ray) {
      for (std::size_t z = 0; z < slices_; ++z) {
        measured_.values.push_back(fit.data()(ray, site.first_column + z));
        measured_.usable.push_back(fit.weights()(ray, site.first_column + z));
        measured_.largest = std::max<double>(measured_.largest, measured_.values.back());
      }
    }
    measured_.noise = site.sigma / std::sqrt(state.level());
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

// XRT knows which rays count, and by how much.
void ScaleFit::weigh(double t) {
  std::ranges::fill(weighted_, 0.0f);
  if (!hosts_xrt()) return;
  const bool other = state_.study().other;
  const std::size_t size = e_.size();
  const auto bins = static_cast<std::size_t>(rays_.beamlets);
  const auto [first, last] =
      left_out_ < kBlocks ? block_of(left_out_, rays_.angles.size()) : std::pair(size, size);
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t angle = k / slices_ / bins;
    if (measured_.usable[k] == 0 || (angle >= first && angle < last)) continue;
    const double e = e_[k];
    const double p = other && e < 0 ? std::pow(1 + e * e / (t * t), -2) : 1;
    weighted_[k] = static_cast<float>(p * e);
    weighted_[size + k] = static_cast<float>(p);
  }
}

void ScaleFit::take_sums(double t) {
  std::ranges::fill(e_, 0.0f);
  for (const Explained& one : explained_) {
    for (std::size_t k = 0; k < e_.size(); ++k) e_[k] += static_cast<float>(one.f) * one.q[k];
  }
  for (std::size_t k = 0; k < measured_.values.size(); ++k) e_[k] -= measured_.values[k];
  collective_.sum(e_, {});
  weigh(t);
  collective_.sum(weighted_, {});
}

void ScaleFit::iterate(int iterations, int falling) {
  const double end = std::max(0.01 * measured_.largest, 2 * measured_.noise);
  for (int n = 0; n < iterations; ++n) {
    const double part = n < falling ? 1 - static_cast<double>(n) / falling : 0;
    take_sums(hosts_xrt() ? end * std::pow(measured_.largest / end, part) : 1);
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
  double sums[2] = {0, 0};
  for (std::size_t k = 0; k < measured_.values.size(); ++k) {
    const double noise = measured_.noise;
    sums[0] += static_cast<double>(weighted_[k]) * e_[k] -
               static_cast<double>(weighted_[e_.size() + k]) * noise * noise;
    sums[1] +=
        static_cast<double>(weighted_[e_.size() + k]) * measured_.values[k] * measured_.values[k];
  }
  collective_.sum({}, sums);
  return sums[1] > 0 ? std::sqrt(std::max(0.0, sums[0]) / sums[1]) : 1;
}

Found ScaleFit::found(const Explained& one, const std::vector<double>& without,
                      double unexplained) const {
  double alone = 0, all = 0;
  for (std::size_t k = 0; k < one.q.size(); ++k) {
    const double square = static_cast<double>(one.q[k]) * one.q[k];
    alone += square * weighted_[e_.size() + k];
    all += square;
  }
  const bool hidden = alone < kLeastShare * all;
  const double relative =
      hidden ? 1 : std::hypot(unexplained, one.f > 0 ? jackknife(without) / one.f : 1);
  return {one.f, one.f * std::max(relative, kLeastUncertainty)};
}

void ScaleFit::run(Refinement& result) {
  iterate(kIterations, kFalling);
  take_sums(std::max({0.01 * measured_.largest, 2 * measured_.noise, 1e-30}));
  const double rest = unexplained();
  const std::vector<float> weights = weighted_;
  std::vector<double> factors;
  for (const Explained& one : explained_) factors.push_back(one.f);
  std::vector<std::vector<double>> without(explained_.size());
  for (left_out_ = 0; left_out_ < kBlocks; ++left_out_) {
    for (std::size_t i = 0; i < factors.size(); ++i) explained_[i].f = factors[i];
    iterate(kWithout, 0);
    for (std::size_t i = 0; i < factors.size(); ++i) without[i].push_back(explained_[i].f);
  }
  weighted_ = weights;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    Explained& one = explained_[i];
    one.f = factors[i];
    if (!one.open) continue;
    RefinedSite& site = result.sites[one.site];
    site.scale = found(one, without[i], rest);
    site.coupled = one.f > 0 && site.scale->uncertainty <= kKnown * one.f;
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
