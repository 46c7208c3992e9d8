#include "sim/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firm/error.h"

namespace firm {
namespace {

// A shape in its own axes.
class Frame {
 public:
  explicit Frame(const Ellipse& e)
      : e_(e),
        cosine_(std::cos(e.phi * std::numbers::pi / 180)),
        sine_(std::sin(e.phi * std::numbers::pi / 180)) {}

  // x and y are relative to the middle of the shape.
  bool inside(double x, double y) const {
    const double u = (x * cosine_ + y * sine_) / e_.a;
    const double v = (y * cosine_ - x * sine_) / e_.b;
    return e_.bar ? std::abs(u) <= 1 && std::abs(v) <= 1 : u * u + v * v <= 1;
  }

  // Share of a square of this width that is inside an ellipse.
  double share(double x, double y, double width) const {
    const double u = (x * cosine_ + y * sine_) / e_.a;
    const double v = (y * cosine_ - x * sine_) / e_.b;
    const double distance = std::sqrt(u * u + v * v) - 1;
    // The distance changes by at most this much within the square.
    const double change = width * std::numbers::sqrt2 / 2 / std::min(e_.a, e_.b);
    if (std::abs(distance) > change) return distance < 0 ? 1 : 0;
    constexpr int kPoints = 16;
    int count = 0;
    for (int r = 0; r < kPoints; ++r) {
      for (int c = 0; c < kPoints; ++c) {
        const double dx = ((c + 0.5) / kPoints - 0.5) * width;
        const double dy = ((r + 0.5) / kPoints - 0.5) * width;
        count += inside(x + dx, y + dy) ? 1 : 0;
      }
    }
    return static_cast<double>(count) / (kPoints * kPoints);
  }

 private:
  const Ellipse& e_;
  double cosine_;
  double sine_;
};

// Adds up value * share_of(frame, x, y) of all shapes at all pixels.
template <typename ShareOf>
void add_up(const Shapes& shapes, double scale, int n, std::size_t column, Block& images,
            const ShareOf& share_of) {
  constexpr double kRounding = 1e-9;
  const double half = (n - 1) / 2.0;
  std::vector<double> sum(images.rows(), 0.0);
  for (const Ellipse& e : shapes) {
    const Frame frame(e);
    double* pixel = sum.data();
    for (int row = 0; row < n; ++row) {
      const double y = (row - half) / half - e.y0;
      for (int col = 0; col < n; ++col, ++pixel) {
        *pixel += e.value * share_of(frame, (col - half) / half - e.x0, y);
      }
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    images(k, column) = static_cast<float>(sum[k] < kRounding ? 0 : scale * sum[k]);
  }
}

}  // namespace

Ellipse disc(double value, double radius, double x0, double y0) {
  return {value, radius, radius, x0, y0, 0};
}

void draw(const Shapes& shapes, double scale, int n, std::size_t column, Block& images) {
  add_up(shapes, scale, n, column, images,
         [](const Frame& f, double x, double y) { return f.inside(x, y) ? 1.0 : 0.0; });
}

void draw_smoothly(const Shapes& ellipses, double scale, int n, std::size_t column, Block& images) {
  for (const Ellipse& e : ellipses) FIRM_CHECK(!e.bar);
  const double width = 2.0 / (n - 1);
  add_up(ellipses, scale, n, column, images,
         [&](const Frame& f, double x, double y) { return f.share(x, y, width); });
}

}  // namespace firm
