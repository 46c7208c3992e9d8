#include "sim/phantom.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "firm/error.h"
#include "physics/attenuation.h"
#include "sim/minerals.h"
#include "sim/rod.h"
#include "sim/shapes.h"
#include "sim/smooth.h"

namespace firm {
namespace {

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

// A shell around grains of two elements. With self-absorption all three elements keep about the
// same: the shell absorbs the light of the grains, which absorb that of the shell behind them.
const std::vector<Shapes>& geode_shapes() {
  static const std::vector<Shapes> shapes = {
      {disc(1.0, 0.92, 0, 0), disc(-1.0, 0.75, 0, 0)},
      {disc(1.0, 0.30, -0.30, 0.20), disc(0.7, 0.15, 0.10, 0.50)},
      {disc(1.0, 0.26, 0.30, -0.20), disc(0.7, 0.15, -0.15, -0.50)}};
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

Block empty_images(int n, std::size_t slices) {
  FIRM_CHECK(n >= 2 && slices >= 1);
  const auto side = static_cast<std::size_t>(n);
  return {side * side, slices};
}

void repeat_first_column(Block& images) {
  for (std::size_t pixel = 0; pixel < images.rows(); ++pixel) {
    for (std::size_t k = 1; k < images.columns(); ++k) images(pixel, k) = images(pixel, 0);
  }
}

// Shells shrink with the square root profile of an ellipsoid that reaches beyond the stack; the
// core (element 0) shifts sideways; inclusions, which are inside the shells, turn about themselves.
Shapes shapes_at(std::size_t element, double z) {
  constexpr double kCut = 0.8;             // |z| = 1 is at 0.8 of the ellipsoid's half height
  constexpr double kShift = 0.15;          // of the core, at the ends
  constexpr double kTurn = 40;             // degrees, of the inclusions, at the ends
  if (std::abs(kCut * z) >= 1) return {};  // above or below the body
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

using Heights = std::span<const double>;

constexpr double kTurn = 30;  // degrees, of the slices at the ends

Phantom draw_paper(int n, Heights heights) {
  Phantom phantom{{"XRF-1", "XRF-2", "XRF-3", "XRT"}, {0.1, 0.6, 0.3}, {}};
  for (const Shapes& shapes : paper_shapes()) {
    Block images = empty_images(n, heights.size());
    draw(shapes, 1, n, 0, images);
    repeat_first_column(images);
    phantom.images.push_back(std::move(images));
  }
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

Phantom draw_elements(int n, Heights heights) {
  Phantom phantom;
  for (std::size_t i = 0; i < std::size(kElements); ++i) {
    const Element& element = kElements[i];
    Block images = empty_images(n, heights.size());
    for (std::size_t k = 0; k < images.columns(); ++k) {
      draw(shapes_at(i, heights[k]), element.density, n, k, images);
    }
    phantom.titles.push_back(element.title);
    phantom.coefficients.push_back(element.coefficient);
    phantom.images.push_back(std::move(images));
  }
  phantom.titles.push_back("XRT");
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

// Densities up to 1 g/cm^3 and coefficients that add up to 1 and are about equal: data of all four
// sites has about the same size, so the same relative noise costs each of them about the same.
Phantom draw_turning(const std::vector<Shapes>& elements, std::vector<std::string> titles, int n,
                     Heights heights) {
  Phantom phantom{std::move(titles), {0.3, 0.4, 0.3}, {}};
  for (const Shapes& shapes : elements) {
    Block images = empty_images(n, heights.size());
    for (std::size_t k = 0; k < images.columns(); ++k) {
      draw(turned(shapes, kTurn * heights[k]), 1, n, k, images);
    }
    phantom.images.push_back(std::move(images));
  }
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

Phantom draw_shapes(int n, Heights heights) {
  return draw_turning(apart_shapes(), {"Discs", "Bars", "Rings", "XRT"}, n, heights);
}

Phantom draw_geode(int n, Heights heights) {
  return draw_turning(geode_shapes(), {"Shell", "Grains-1", "Grains-2", "XRT"}, n, heights);
}

Phantom draw_smooth(int n, Heights heights) {
  Phantom phantom{{"Blobs", "Gradient", "Waves", "XRT"}, {0.3, 0.4, 0.3}, {}};
  for (const SmoothDensity& density : smooth_elements()) {
    Block images = empty_images(n, heights.size());
    for (std::size_t k = 0; k < images.columns(); ++k) {
      sample(density, kTurn * heights[k], n, k, images);
    }
    phantom.images.push_back(std::move(images));
  }
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

Phantom draw_rod(int n, Heights heights) {
  Phantom phantom;
  phantom.energy = kRodEnergy;
  for (const RodPart& part : rod_elements()) {
    Block images = empty_images(n, heights.size());
    for (std::size_t k = 0; k < images.columns(); ++k) {
      draw_smoothly(part.shapes(n, heights[k]), part.density, n, k, images);
    }
    phantom.titles.push_back(part.title);
    phantom.coefficients.push_back(part.coefficient);
    phantom.images.push_back(std::move(images));
  }
  const RodPart glass = rod_glass();
  Block other = empty_images(n, heights.size());
  for (std::size_t k = 0; k < other.columns(); ++k) {
    draw_smoothly(glass.shapes(n, heights[k]), glass.density * glass.coefficient, n, k, other);
  }
  phantom.titles.push_back("XRT");
  Block sum = attenuation(phantom.images, phantom.coefficients);
  for (std::size_t k = 0; k < sum.size(); ++k) sum.data()[k] += other.data()[k];
  phantom.images.push_back(std::move(sum));
  phantom.other = std::move(other);
  return phantom;
}

Phantom draw_minerals(int n, Heights heights) {
  Phantom phantom;
  phantom.energy = kMineralEnergy;
  for (std::size_t i = 0; i < minerals().size(); ++i) {
    const Mineral& mineral = minerals()[i];
    Block images = empty_images(n, heights.size());
    for (std::size_t k = 0; k < images.columns(); ++k) {
      draw_smoothly(mineral_shapes(i, heights[k]), mineral.density, n, k, images);
    }
    const auto coefficient = mass_attenuation(mineral.element, kMineralEnergy);
    FIRM_CHECK(coefficient.has_value());
    phantom.titles.push_back(mineral.element);
    phantom.coefficients.push_back(*coefficient);
    phantom.images.push_back(std::move(images));
  }
  phantom.titles.push_back("XRT");
  phantom.images.push_back(attenuation(phantom.images, phantom.coefficients));
  return phantom;
}

}  // namespace

const std::vector<std::string>& phantom_names() {
  static const std::vector<std::string> names = {"paper", "elements", "shapes", "smooth",
                                                 "rod",   "minerals", "geode"};
  return names;
}

std::size_t phantom_sites(const std::string& name) {
  return name == "minerals" ? minerals().size() + 1 : 4;
}

std::vector<double> slice_heights(int slices, int margin) {
  std::vector<double> heights;
  for (int k = -margin; k < slices + margin; ++k) {
    heights.push_back(slices == 1 ? 0 : 2 * static_cast<double>(k) / (slices - 1) - 1);
  }
  return heights;
}

Phantom draw_phantom(const std::string& name, int n, std::span<const double> heights) {
  if (name == "paper") return draw_paper(n, heights);
  if (name == "elements") return draw_elements(n, heights);
  if (name == "shapes") return draw_shapes(n, heights);
  if (name == "smooth") return draw_smooth(n, heights);
  if (name == "minerals") return draw_minerals(n, heights);
  if (name == "geode") return draw_geode(n, heights);
  FIRM_CHECK(name == "rod");
  return draw_rod(n, heights);
}

Phantom paper_phantom(int n, int slices) { return draw_paper(n, slice_heights(slices)); }

Phantom elements_phantom(int n, int slices) { return draw_elements(n, slice_heights(slices)); }

Phantom shapes_phantom(int n, int slices) { return draw_shapes(n, slice_heights(slices)); }

Phantom smooth_phantom(int n, int slices) { return draw_smooth(n, slice_heights(slices)); }

Phantom rod_phantom(int n, int slices) { return draw_rod(n, slice_heights(slices)); }

}  // namespace firm
