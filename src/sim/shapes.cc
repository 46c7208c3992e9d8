#include "sim/shapes.h"

#include <cmath>
#include <numbers>

namespace firm {

Ellipse disc(double value, double radius, double x0, double y0) {
  return {value, radius, radius, x0, y0, 0};
}

void draw(const Shapes& shapes, double scale, int n, std::size_t column, Block& images) {
  constexpr double kRounding = 1e-9;
  const double half = (n - 1) / 2.0;
  std::vector<double> sum(images.rows(), 0.0);
  for (const Ellipse& e : shapes) {
    const double c = std::cos(e.phi * std::numbers::pi / 180);
    const double s = std::sin(e.phi * std::numbers::pi / 180);
    double* pixel = sum.data();
    for (int row = 0; row < n; ++row) {
      const double y = (row - half) / half - e.y0;
      for (int col = 0; col < n; ++col, ++pixel) {
        const double x = (col - half) / half - e.x0;
        const double u = (x * c + y * s) / e.a;
        const double v = (y * c - x * s) / e.b;
        const bool inside = e.bar ? std::abs(u) <= 1 && std::abs(v) <= 1 : u * u + v * v <= 1;
        if (inside) *pixel += e.value;
      }
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    images(k, column) = static_cast<float>(sum[k] < kRounding ? 0 : scale * sum[k]);
  }
}

}  // namespace firm
