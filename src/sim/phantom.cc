#include "sim/phantom.h"

#include <cmath>
#include <numbers>

#include "firm/error.h"

namespace firm {
namespace {

// Adds `value` where ((x'c + y's) / a)^2 + ((y'c - x's) / b)^2 <= 1 with x' = x - x0, y' = y - y0,
// c = cos(phi), s = sin(phi), on [-1, 1]^2; x to the right, y DOWNWARDS. A bar is the rectangle
// around that ellipse.
struct Ellipse {
  double value;
  double a, b;
  double x0, y0;
  double phi;  // degrees
  bool bar = false;
};

using Shapes = std::vector<Ellipse>;

const std::vector<Shapes>& paper_shapes() {
  static const std::vector<Shapes> shapes = {
      {{1.0, 0.3658, 0.4880, 0, 0, 0}, {-0.8, 0.3141, 0.4143, 0, -0.0188, 0}},
      {{1.0, 0.6889, 0.9186, 0, 0, 0},
       {-0.8, 0.6613, 0.8725, 0, -0.0184, 0},
       {-0.2, 0.1075, 0.3039, 0.2179, -0.0308, -8.09},
       {-0.2, 0.1580, 0.4027, -0.1952, -0.1018, 27.92},
       {0.1, 0.2033, 0.2411, 0, 0.3498, 0}},
      {{1.0, 0.6828, 0.9104, 0, 0, 0},
       {-0.8, 0.6549, 0.8643, 0, -0.0184, 0},
       {-0.2, 0.0931, 0.2633, 0.2179, -0.0305, -8.02},
       {-0.2, 0.1454, 0.3720, -0.1939, -0.1037, 27.96},
       {0.1, 0.1595, 0.1897, 0, 0.3496, 0}}};
  return shapes;
}

Ellipse disc(double value, double radius, double x0, double y0) {
  return {value, radius, radius, x0, y0, 0};
}

// Discs, bars and rings that keep a distance from each other, within the unit circle.
const std::vector<Shapes>& apart_shapes() {
  static const std::vector<Shapes> shapes = {
      {disc(1.0, 0.26, -0.45, -0.40), disc(0.6, 0.10, 0.16, 0.75), disc(0.8, 0.10, 0.62, -0.05)},
      {{0.8, 0.30, 0.07, 0.42, -0.50, 30, true},
       {1.0, 0.22, 0.05, -0.50, 0.30, -50, true},
       {0.5, 0.05, 0.20, 0.05, 0.10, 10, true}},
      {disc(0.3, 0.97, 0, 0), disc(-0.3, 0.93, 0, 0),  // around everything
       disc(1.0, 0.22, 0.45, 0.45), disc(-1.0, 0.14, 0.45, 0.45), disc(0.7, 0.15, -0.15, 0.62),
       disc(-0.7, 0.08, -0.15, 0.62)}};
  return shapes;
}

// Turns shapes about the middle of the image.
Shapes turned(Shapes shapes, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  for (Ellipse& e : shapes) {
    const double x0 = e.x0;
    e.x0 = c * x0 - s * e.y0;
    e.y0 = s * x0 + c * e.y0;
    e.phi += degrees;
  }
  return shapes;
}

// Writes the sum of the ellipses, times `scale`, to a column of `images`. Values below zero come
// from rounding or overlapping inclusions, and become zero; the smallest true value is 0.1.
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

// XRT = sum over the elements of coefficient * element.
Block attenuation(const std::vector<Block>& elements, const std::vector<double>& coefficients) {
  Block sum(elements.front().rows(), elements.front().columns());
  for (std::size_t k = 0; k < sum.size(); ++k) {
    double value = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      value += coefficients[i] * static_cast<double>(elements[i].data()[k]);
    }
    sum.data()[k] = static_cast<float>(value);
  }
  return sum;
}

Block empty_images(int n, int slices) {
  FIRM_CHECK(n >= 2 && slices >= 1);
  const auto side = static_cast<std::size_t>(n);
  return {side * side, static_cast<std::size_t>(slices)};
}

void repeat_first_column(Block& images) {
  for (std::size_t pixel = 0; pixel < images.rows(); ++pixel) {
    for (std::size_t k = 1; k < images.columns(); ++k) images(pixel, k) = images(pixel, 0);
  }
}

// Height of a slice within the body: -1 for the first, 1 for the last, 0 in the middle.
double height(std::size_t slice, std::size_t slices) {
  if (slices == 1) return 0;
  return 2 * static_cast<double>(slice) / static_cast<double>(slices - 1) - 1;
}

// Shells shrink with the square root profile of an ellipsoid that reaches beyond the stack; the
// core (element 0) shifts sideways; inclusions, which are inside the shells, turn about themselves.
Shapes shapes_at(std::size_t element, double z) {
  constexpr double kCut = 0.8;     // |z| = 1 is at 0.8 of the ellipsoid's half height
  constexpr double kShift = 0.15;  // of the core, at the ends
  constexpr double kTurn = 40;     // degrees, of the inclusions, at the ends
  const double shrink = std::sqrt(1 - kCut * kCut * z * z);
  Shapes shapes = paper_shapes()[element];
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    Ellipse& e = shapes[k];
    e.a *= shrink;
    e.b *= shrink;
    e.x0 *= shrink;
    e.y0 *= shrink;
    if (element == 0) e.x0 += kShift * z;
    if (k >= 2) e.phi += kTurn * z;
  }
  return shapes;
}

struct Element {
  const char* title;
  double coefficient;  // cm^2/g, total mass attenuation at 12 keV (xraylib 4.0)
  double density;      // g/cm^3, where the paper's phantom is 1
};

constexpr Element kElements[] = {
    {"Ca", 56.07, 0.40},
    {"Fe", 104.7, 0.20},
    {"Zn", 146.9, 0.10},
};

// Elements of `smooth` at a point of [-1, 1]^2; x to the right, y downwards.
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

// Means over 4 x 4 points of each pixel.
void sample(double (*value_at)(double, double), double degrees, int n, std::size_t column,
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

constexpr double kTurn = 30;  // degrees, of the slices at the ends

}  // namespace

Phantom paper_phantom(int n, int slices) {
  Phantom phantom{{"XRF-1", "XRF-2", "XRF-3", "XRT"}, {0.1, 0.6, 0.3}, {}};
  for (const Shapes& shapes : paper_shapes()) {
    Block images = empty_images(n, slices);
    draw(shapes, 1, n, 0, images);
    repeat_first_column(images);
    phantom.images.push_back(std::move(images));
  }
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

Phantom elements_phantom(int n, int slices) {
  Phantom phantom;
  for (std::size_t i = 0; i < std::size(kElements); ++i) {
    const Element& element = kElements[i];
    Block images = empty_images(n, slices);
    for (std::size_t k = 0; k < images.columns(); ++k) {
      draw(shapes_at(i, height(k, images.columns())), element.density, n, k, images);
    }
    phantom.titles.push_back(element.title);
    phantom.coefficients.push_back(element.coefficient);
    phantom.images.push_back(std::move(images));
  }
  phantom.titles.push_back("XRT");
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

Phantom shapes_phantom(int n, int slices) {
  // Densities up to 1 g/cm^3 and coefficients that add up to 1 and are about equal: data of all
  // four sites has about the same size, so the same relative noise costs each of them about the
  // same.
  Phantom phantom{{"Discs", "Bars", "Rings", "XRT"}, {0.3, 0.4, 0.3}, {}};
  for (const Shapes& shapes : apart_shapes()) {
    Block images = empty_images(n, slices);
    for (std::size_t k = 0; k < images.columns(); ++k) {
      draw(turned(shapes, kTurn * height(k, images.columns())), 1, n, k, images);
    }
    phantom.images.push_back(std::move(images));
  }
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

Phantom smooth_phantom(int n, int slices) {
  Phantom phantom{{"Blobs", "Gradient", "Waves", "XRT"}, {0.3, 0.4, 0.3}, {}};
  for (auto* value_at : {blobs_at, gradient_at, waves_at}) {
    Block images = empty_images(n, slices);
    for (std::size_t k = 0; k < images.columns(); ++k) {
      sample(value_at, kTurn * height(k, images.columns()), n, k, images);
    }
    phantom.images.push_back(std::move(images));
  }
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

}  // namespace firm
