#include "prep/diagnose/axis_check.h"

#include <algorithm>
#include <cmath>

#include "prep/axis/axis_misfit.h"
#include "prep/diagnose/coarse_site.h"

namespace firm {
namespace {

constexpr std::size_t kSlices = 2;
constexpr double kLeastSpan = 0.5;  // radians; less hardly distinguishes axes
constexpr std::size_t kCoarseBeamlets = 48;
constexpr std::size_t kCoarseAngles = 60;
constexpr std::size_t kFineBeamlets = 160;
constexpr std::size_t kFineAngles = 80;

AxisView view_of(const Sinogram& s, std::size_t beamlets, std::size_t angles) {
  return {evenly_spaced(s.slices(), kSlices), evenly_spaced(s.angles, angles),
          (s.beamlets + beamlets - 1) / beamlets};
}

struct Best {
  double axis = 0;
  double misfit = 0;
};

// The best of the axes `from` + k `step`.
Best search(const AxisMisfit& misfit, double from, double step, int count) {
  Best best{from, misfit.at(from)};
  for (int k = 1; k < count; ++k) {
    const double axis = from + k * step;
    const double value = misfit.at(axis);
    if (value < best.misfit) best = {axis, value};
  }
  return best;
}

}  // namespace

Sinogram sinogram_of(const Site& site, const SiteData& data) {
  Block values(data.values.rows(), data.values.columns());
  std::ranges::copy(data.values.values(), values.data());
  Sinogram s(static_cast<std::size_t>(site.geometry.beamlets), std::move(values));
  for (std::size_t k = 0; k < data.weights.size(); ++k) {
    if (data.weights.data()[k] <= 0) s.mark(k, Flaw::kMissing);
  }
  return s;
}

std::optional<double> far_better_axis(const Site& site, const SiteData& data) {
  constexpr double kFarBetter = 0.6;
  constexpr double kLeastMisfit = 1e-4;
  constexpr double kLeastDistance = 0.01;
  const Geometry& g = site.geometry;
  const auto [first_angle, last_angle] = std::ranges::minmax(g.angles);
  if (g.angles.size() < 3 || g.beamlets < 4 || last_angle - first_angle < kLeastSpan) return {};
  const Sinogram s = sinogram_of(site, data);
  const double middle = g.beamlets / 2.0;
  const double width = middle / 2;
  const AxisMisfit coarse(s, g.angles, g.shifts, view_of(s, kCoarseBeamlets, kCoarseAngles), width);
  if (!coarse.any()) return {};
  const auto unit = static_cast<double>(coarse.coarsening());
  const int count = 2 * static_cast<int>(width / unit) + 1;
  const double first = middle - std::floor(width / unit) * unit;
  const Best rough = search(coarse, first, unit, count);

  const double most = std::max(std::abs(rough.axis - middle), std::abs(g.rotation_axis - middle));
  const AxisMisfit fine(s, g.angles, g.shifts, view_of(s, kFineBeamlets, kFineAngles),
                        std::min(most + 2 * unit, 2 * middle));
  const double now = fine.at(g.rotation_axis);
  Best best{rough.axis, fine.at(rough.axis)};
  for (double step = unit / 2; step > 0.2; step /= 2) {
    best = std::min(search(fine, best.axis - step, 2 * step, 2), best,
                    [](const Best& a, const Best& b) { return a.misfit < b.misfit; });
  }
  if (now < kLeastMisfit || best.misfit > kFarBetter * now) return {};
  const double distance = std::abs(best.axis - g.rotation_axis);
  if (distance < std::max(1.0, kLeastDistance * g.beamlets)) return {};
  return best.axis;
}

}  // namespace firm
