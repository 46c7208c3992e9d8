#include "prep/diagnose/site_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/inspect/angle_coverage.h"
#include "prep/diagnose/axis_check.h"
#include "prep/diagnose/image_reach.h"
#include "prep/diagnose/value_kind.h"
#include "prep/diagnose/value_summary.h"

namespace firm {
namespace {

std::string warn_angles(const Geometry& g) {
  std::vector<double> degrees;
  for (const double angle : g.angles) degrees.push_back(angle * 180 / std::numbers::pi);
  return warn_angle_coverage(degrees);
}

std::string warn_beside(const SiteEntry& entry, const Site& site, const ValueSummary& v) {
  if (!v.level_beside() || !covers_image(site.geometry)) return "";
  if (site.kind == SiteKind::kXrf) {
    return fmt::format(
        "the values are about {:.3g} in the outermost beamlets, not 0, and up to {:.3g} inside: "
        "subtract the background from the data",
        v.outer, v.highest);
  }
  return fmt::format(
      "the logarithms are about {:.3g} in the outermost beamlets, not 0, and up to {:.3g} inside; "
      "if the object does not reach there, {}",
      v.outer, v.highest,
      entry.prepare.minus_log
          ? "normalize = \"air\" normalizes by them"
          : "subtract this from the data, or give transmissions and normalize = \"air\"");
}

std::string warn_image(const Site& site, const SiteData& data) {
  constexpr double kLeastShare = 0.005;
  const Geometry& g = site.geometry;
  const Signal signal = find_signal(site, data);
  if (static_cast<double>(signal.missing) <= kLeastShare * static_cast<double>(signal.all)) {
    return "";
  }
  return fmt::format(
      "{:.0f} % of the signal is at rays that miss the image of {} x {} pixels: the object needs "
      "about {} x {} pixels (rows, columns), or pixel_size, spacing or rotation_axis is wrong",
      std::max(1.0, 100 * static_cast<double>(signal.missing) / static_cast<double>(signal.all)),
      g.image_rows, g.image_columns, std::ceil(signal.side / g.pixel_size),
      std::ceil(signal.side / g.pixel_size));
}

std::string warn_axis(const SiteEntry& entry, const Site& site, const SiteData& data) {
  const Geometry& g = site.geometry;
  const double unit = entry.binning;
  if (g.rotation_axis < 0 || g.rotation_axis > g.beamlets) {
    return fmt::format(
        "rotation axis at {:.6g}, outside the detector of {} beamlets: correct rotation_axis, in "
        "beamlets from the left edge",
        g.rotation_axis * unit, g.beamlets * unit);
  }
  const auto axis = far_better_axis(site, data);
  if (!axis) return "";
  return fmt::format(
      "the projections turn around {:.4g}, not around the rotation axis {:.6g}, and fit far better "
      "so: set rotation_axis = \"auto\", or to the number",
      *axis * unit, g.rotation_axis * unit);
}

// The first warning about values and rays. Later ones would be consequences of it.
std::string warn_data(const SiteEntry& entry, const Site& site, const SiteData& data,
                      bool judge_axis) {
  const ValueSummary v = summarize_values(site, data);
  if (v.lowest == v.highest && v.outer == v.lowest) return "";  // warn_values says so
  std::string text;
  if (site.kind == SiteKind::kXrt) text = warn_kind(v, entry.prepare.minus_log);
  if (text.empty()) text = warn_beside(entry, site, v);
  if (text.empty() && judge_axis) text = warn_axis(entry, site, data);
  if (text.empty()) text = warn_image(site, data);
  return text;
}

}  // namespace

std::vector<std::string> site_warnings(const SiteEntry& entry, const Site& site,
                                       const SiteData& data) {
  std::vector<std::string> warnings;
  const std::string angles = warn_angles(site.geometry);
  if (!angles.empty()) warnings.push_back(angles);
  // Absorbed fluorescence seems to turn around a place nearer to the detector.
  const bool judge_axis = angles.empty() && !entry.find_rotation_axis && !site.fluorescence;
  const std::string other = warn_data(entry, site, data, judge_axis);
  if (!other.empty()) warnings.push_back(other);
  return warnings;
}

}  // namespace firm
