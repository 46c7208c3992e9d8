#include "sim/minerals.h"

#include <cmath>
#include <numbers>

namespace firm {
namespace {

constexpr std::size_t kRock = 1;  // the mineral that everything else is in
constexpr int kGrains = 40;

// Grain k of all minerals, at even distances from each other: on a spiral with the golden angle.
Ellipse grain(int k, double turn) {
  constexpr double kGolden = 2.399963229728653;
  const double radius = 0.72 * std::sqrt((k + 0.5) / kGrains);
  const double angle = kGolden * k + turn;
  const double size = 0.045 + 0.012 * (k * 7 % 5);
  return {0.5 + 0.25 * (k % 3),         size,
          size * (0.6 + 0.1 * (k % 4)), radius * std::cos(angle),
          radius * std::sin(angle),     (angle + k) * 180 / std::numbers::pi};
}

}  // namespace

const std::vector<Mineral>& minerals() {
  static const std::vector<Mineral> all = {{"K", "K Ka", 0.6},   {"Ca", "Ca Ka", 0.5},
                                           {"Ti", "Ti Ka", 0.5}, {"Cr", "Cr Ka", 0.5},
                                           {"Fe", "Fe Ka", 0.6}, {"Zn", "Zn Ka", 0.4}};
  return all;
}

Shapes mineral_shapes(std::size_t mineral, double height) {
  constexpr double kTurn = 0.6;  // radians, at the ends
  constexpr double kCut = 0.5;   // of the half height, at the ends
  const double part = kCut * height;
  if (std::abs(part) >= 1) return {};  // above or below the rock
  const double shrink = std::sqrt(1 - part * part);
  Shapes shapes;
  if (mineral == kRock) {
    shapes.push_back({1, 0.88, 0.78, 0, 0, 20 * height});
  } else {
    const auto kinds = static_cast<int>(minerals().size());
    for (int k = static_cast<int>(mineral); k < kGrains; k += kinds) {
      shapes.push_back(grain(k, kTurn * height));
    }
  }
  for (Ellipse& e : shapes) {
    e.a *= shrink;
    e.b *= shrink;
    e.x0 *= shrink;
    e.y0 *= shrink;
  }
  return shapes;
}

}  // namespace firm
