#include "sim/smooth.h"

#include <cmath>
#include <numbers>

namespace firm {
namespace {

double blobs_at(double x, double y) {
  struct Blob {
    double value, x0, y0, sigma;
  };
  constexpr Blob kBlobs[] = {{1.0, -0.35, -0.30, 0.22},
                             {0.7, 0.40, -0.35, 0.14},
                             {0.9, 0.30, 0.40, 0.09},
                             {0.6, -0.35, 0.45, 0.06}};
  double sum = 0;
  for (const Blob& b : kBlobs) {
    const double square = (x - b.x0) * (x - b.x0) + (y - b.y0) * (y - b.y0);
    sum += b.value * std::exp(-square / (2 * b.sigma * b.sigma));
  }
  return sum;
}

// (1 - r^2 / 0.9^2)^2 within r = 0.9: value and slope end at 0.
double bump_at(double x, double y) {
  const double part = 1 - (x * x + y * y) / 0.81;
  return part > 0 ? part * part : 0;
}

double gradient_at(double x, double y) { return bump_at(x, y) * (1 + 0.9 * x) / 1.3; }

double waves_at(double x, double y) {
  return bump_at(x, y) * (0.5 + 0.25 * (std::sin(9 * x + 3 * y) + std::cos(7 * y - 2 * x)));
}

}  // namespace

const std::vector<SmoothDensity>& smooth_elements() {
  static const std::vector<SmoothDensity> elements = {blobs_at, gradient_at, waves_at};
  return elements;
}

void sample(const SmoothDensity& value_at, double degrees, int n, std::size_t column,
            Block& images) {
  constexpr int kPoints = 4;
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  const int fine = kPoints * n;
  for (int row = 0; row < fine; ++row) {
    for (int k = 0; k < fine; ++k) {
      const double x = (2.0 * k + 1) / fine - 1;
      const double y = (2.0 * row + 1) / fine - 1;
      const auto pixel = static_cast<std::size_t>(row / kPoints) * static_cast<std::size_t>(n) +
                         static_cast<std::size_t>(k / kPoints);
      images(pixel, column) +=
          static_cast<float>(value_at(c * x + s * y, c * y - s * x) / (kPoints * kPoints));
    }
  }
}

}  // namespace firm
