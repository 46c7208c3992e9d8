#include "prep/diagnose/image_reach.h"

#include <algorithm>
#include <cmath>

#include "prep/diagnose/value_summary.h"

namespace firm {
namespace {

// Side of a square image that has this ray at its corner.
double needed_side(const Geometry& g, std::size_t angle, int beamlet) {
  const Direction d = direction(g.angles[angle]);
  return 2 * std::abs(g.coordinate(angle, beamlet)) / (std::abs(d.cosine) + std::abs(d.sine));
}

bool misses(const Geometry& g, std::size_t angle, int beamlet) {
  const Direction d = direction(g.angles[angle]);
  const double half =
      (std::abs(d.cosine) * g.image_columns + std::abs(d.sine) * g.image_rows) * g.pixel_size / 2;
  return std::abs(g.coordinate(angle, beamlet)) > half + g.spacing;
}

}  // namespace

double smaller_side(const Geometry& g) {
  return std::min(g.image_rows, g.image_columns) * g.pixel_size;
}

bool covers_image(const Geometry& g) {
  constexpr double kAlmostHalf = 0.48;
  const double least = kAlmostHalf * smaller_side(g);
  return g.rotation_axis * g.spacing > least && (g.beamlets - g.rotation_axis) * g.spacing > least;
}

Signal find_signal(const Site& site, const SiteData& data) {
  const Geometry& g = site.geometry;
  const ValueSummary v = summarize_values(site, data);
  const double least = std::max(6 * v.noise, 0.05 * v.largest());
  const auto signal = [&](std::size_t ray, std::size_t slice) {
    if (data.weights.rows() > 0 && data.weights(ray, slice) <= 0) return false;
    return static_cast<double>(data.values(ray, slice)) > least;
  };
  Signal found;
  for (std::size_t ray = 0; ray + 1 < g.rays(); ++ray) {
    const std::size_t a = ray / static_cast<std::size_t>(g.beamlets);
    const auto x = static_cast<int>(ray % static_cast<std::size_t>(g.beamlets));
    if (x + 1 == g.beamlets) continue;
    const bool outside = misses(g, a, x) && misses(g, a, x + 1);
    const double side = std::max(needed_side(g, a, x), needed_side(g, a, x + 1)) + g.spacing;
    for (std::size_t z = 0; z < data.values.columns(); ++z) {
      if (!signal(ray, z) || !signal(ray + 1, z)) continue;
      ++found.all;
      found.missing += outside ? 1 : 0;
      found.side = std::max(found.side, side);
    }
  }
  return found;
}

}  // namespace firm
