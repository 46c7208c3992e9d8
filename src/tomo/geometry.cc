#include "firm/geometry.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kAxisTolerance = 1e-12;

void require_positive(const char* field, double value, const char* unit) {
  if (value > 0 && std::isfinite(value)) return;
  throw usage_error(
      {"geometry", field, fmt::format("a positive {}", unit), fmt::format("{}", value)});
}

void require_finite(const std::string& field, double value, const char* unit) {
  if (std::isfinite(value)) return;
  throw usage_error(
      {"geometry", field, fmt::format("a finite number of {}", unit), fmt::format("{}", value)});
}

// Also refuses numbers whose ratio is not finite.
void require_similar(double spacing, double pixel_size) {
  constexpr double kRounding = 1 + 1e-9;
  const double ratio = spacing / pixel_size;
  if (ratio <= kMostWidthRatio * kRounding && ratio * kMostWidthRatio * kRounding >= 1) return;
  throw usage_error({"geometry", "spacing",
                     fmt::format("at most {} times as wide as a pixel of {} cm, and at least 1/{}",
                                 kMostWidthRatio, pixel_size, kMostWidthRatio),
                     fmt::format("{} cm", spacing)});
}

}  // namespace

double Geometry::coordinate(std::size_t angle, int beamlet) const {
  const double shift = shifts.empty() ? 0.0 : shifts[angle];
  return (beamlet + 0.5 - rotation_axis - shift) * spacing;
}

void Geometry::validate() const {
  require_positive("image_rows", image_rows, "number of pixels");
  require_positive("image_columns", image_columns, "number of pixels");
  require_positive("pixel_size", pixel_size, "length in cm");
  require_positive("beamlets", beamlets, "number of beamlets");
  require_positive("spacing", spacing, "length in cm");
  require_similar(spacing, pixel_size);
  require_finite("rotation_axis", rotation_axis, "beamlets");
  if (angles.empty()) throw usage_error({"geometry", "angles", "at least one angle", "none"});
  for (std::size_t k = 0; k < angles.size(); ++k) {
    require_finite(fmt::format("angles[{}]", k), angles[k], "radians");
  }
  if (!shifts.empty() && shifts.size() != angles.size()) {
    throw usage_error({"geometry", "shifts",
                       fmt::format("none or one per angle ({})", angles.size()),
                       fmt::format("{}", shifts.size())});
  }
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    require_finite(fmt::format("shifts[{}]", k), shifts[k], "beamlets");
  }
}

Direction direction(double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  if (std::abs(c) < kAxisTolerance) return {0.0, std::copysign(1.0, s)};
  if (std::abs(s) < kAxisTolerance) return {std::copysign(1.0, c), 0.0};
  return {c, s};
}

std::vector<double> half_turn(int count) {
  std::vector<double> angles;
  for (int k = 0; k < count; ++k) angles.push_back(std::numbers::pi * k / count);
  return angles;
}

Geometry paper_geometry(int n, int angle_count, double pixel_size_cm) {
  Geometry g;
  g.image_rows = g.image_columns = n;
  g.pixel_size = pixel_size_cm;
  g.angles = half_turn(angle_count);
  g.beamlets = static_cast<int>(std::ceil(std::sqrt(2.0) * n));
  g.spacing = pixel_size_cm;
  g.rotation_axis = g.beamlets / 2.0;
  return g;
}

}  // namespace firm
