#include "sim/rod.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firm/error.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

// Lengths are fractions of half the image: 0.008 is a pixel at 250 x 250, 0.8 um.
constexpr double kGlassRadius = 0.56;  // 112 um in diameter
constexpr double kGlassX = -0.08;
constexpr double kGlassY = -0.064;
constexpr double kTungstenRadius = 0.026;  // 5.2 um in diameter
constexpr double kGoldRadius = 0.030;      // 6.0 um
constexpr double kTaper = 0.05;            // relative change of a radius from z = 0 to z = 1
constexpr double kLean = 0.024;            // of a wire, from z = 0 to z = 1: 2.4 um

double table(const std::string& symbol) {
  const auto value = mass_attenuation(symbol, kRodEnergy);
  FIRM_CHECK(value.has_value());
  return *value;
}

// Mass fractions of borosilicate ("Pyrex") glass as NIST lists them.
double glass_attenuation() {
  constexpr std::pair<const char*, double> kFractions[] = {{"B", 0.040064},  {"O", 0.539562},
                                                           {"Na", 0.028191}, {"Al", 0.011644},
                                                           {"Si", 0.377220}, {"K", 0.003321}};
  double sum = 0;
  for (const auto& [symbol, fraction] : kFractions) sum += fraction * table(symbol);
  return sum;
}

double within(double z) { return std::clamp(z, -1.5, 1.5); }

// From fractions of half the image to the coordinates of draw(), in which 1 is the centre of the
// outermost pixel.
Shapes on_grid(Shapes shapes, int n) {
  const double factor = static_cast<double>(n) / (n - 1);
  for (Ellipse& e : shapes) {
    for (double* length : {&e.a, &e.b, &e.x0, &e.y0}) *length *= factor;
  }
  return shapes;
}

Shapes tungsten(int n, double z) {
  const double h = within(z);
  return on_grid({disc(1, kTungstenRadius * (1 + kTaper * h), 0.505 + kLean * h, -0.331)}, n);
}

Shapes gold(int n, double z) {
  const double h = within(z);
  return on_grid({disc(1, kGoldRadius * (1 - kTaper * h), -0.197, 0.598 - kLean * h)}, n);
}

Ellipse glass(double value, double z) {
  return disc(value, kGlassRadius * (1 - 0.02 * within(z)), kGlassX, kGlassY);
}

// A fifth everywhere in the glass. The rich part is the slice of an ellipsoid.
Shapes zinc(int n, double z) {
  const double h = within(z);
  const double part = std::sqrt(std::max(0.0, 1 - h * h / 2));
  Shapes shapes = {glass(0.2, z)};
  if (part > 0) shapes.push_back({0.8, 0.20 * part, 0.28 * part, -0.26, 0.08 + 0.03 * h, 25});
  return on_grid(shapes, n);
}

}  // namespace

std::vector<RodPart> rod_elements() {
  return {{"W", table("W"), 19.25, tungsten},
          {"Au", table("Au"), 19.3, gold},
          {"Zn", table("Zn"), 0.02, zinc}};
}

RodPart rod_glass() {
  return {"glass", glass_attenuation(), 2.23,
          [](int n, double z) { return on_grid({glass(1, z)}, n); }};
}

}  // namespace firm
