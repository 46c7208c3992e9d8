// Geometries, Blocks and differences for the tests of projectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"
#include "firm/projector.h"

namespace firm::projectors {

inline constexpr double kPi = std::numbers::pi;

inline void fill_gaussian(Block& block, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal;
  for (float& v : block.values()) v = normal(engine);
}

inline double dot(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += static_cast<double>(a.data()[k]) * static_cast<double>(b.data()[k]);
  }
  return sum;
}

inline double norm(const Block& a) { return std::sqrt(dot(a, a)); }

inline double relative_difference(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = static_cast<double>(a.data()[k]) - static_cast<double>(b.data()[k]);
    sum += d * d;
  }
  return std::sqrt(sum) / std::max(norm(b), 1e-300);
}

inline std::vector<std::string> fast_kernels() {
  std::vector<std::string> names = kernel_names();
  std::erase(names, "reference");
  return names;
}
// ---- geometries -------------------------------------------------------------------------------

inline Geometry simple(int rows, int columns, int beamlets, std::vector<double> angles) {
  Geometry g;
  g.image_rows = rows;
  g.image_columns = columns;
  g.pixel_size = 0.5;
  g.beamlets = beamlets;
  g.spacing = 0.5;
  g.rotation_axis = beamlets / 2.0;
  g.angles = std::move(angles);
  return g;
}

struct Case {
  std::string name;
  Geometry geometry;
  double tolerance = 1e-6;
};

inline std::vector<Case> cases() {
  const std::vector<double> eighths{0, kPi / 4, kPi / 2, 3 * kPi / 4};
  std::vector<double> turn;
  for (int k = 0; k < 16; ++k) turn.push_back(2 * kPi * k / 16);
  const std::vector<double> odd{3.0, 0.1, -1.2, 0.77, 5.5, 2.2, 1e-3, kPi / 2 - 1e-4};

  std::vector<Case> all;
  all.push_back({"paper, odd number of angles", paper_geometry(37, 13)});
  all.push_back({"paper, every symmetry", paper_geometry(32, 12)});
  all.push_back({"exact eighths, even size: rays on pixel edges", simple(16, 16, 23, eighths)});
  all.push_back({"exact eighths, odd size", simple(17, 17, 24, eighths)});
  all.push_back({"full turn", simple(20, 20, 30, turn)});
  all.push_back({"pixels beside each other that are mirror images", simple(21, 34, 42, turn)});
  all.push_back(
      {"unsorted angles of any size, two close to an axis", simple(31, 31, 44, odd), 1e-5});
  all.push_back({"wide image", simple(9, 40, 50, half_turn(7))});
  all.push_back({"tall image", simple(300, 7, 310, half_turn(5))});
  all.push_back({"wider than a tile", simple(6, 600, 620, half_turn(4))});
  all.push_back({"larger than a tile both ways", simple(290, 300, 420, half_turn(6))});
  all.push_back({"narrow detector: rays miss much of the image", simple(40, 40, 9, half_turn(8))});
  all.push_back({"wide detector: many rays miss", simple(8, 8, 200, half_turn(6))});
  all.push_back({"one pixel", simple(1, 1, 5, half_turn(5))});
  all.push_back({"one beamlet", simple(12, 12, 1, half_turn(9))});
  all.push_back({"one row", simple(1, 33, 40, half_turn(6))});

  Geometry shifted = paper_geometry(33, 9);
  shifted.rotation_axis += 3.37;
  all.push_back({"shifted centre", shifted});
  shifted.rotation_axis = 1e6;
  all.push_back({"no ray meets the image", shifted});
  Geometry jitter = paper_geometry(33, 8);
  for (int k = 0; k < 8; ++k) jitter.shifts.push_back(0.3 * k - 1.1);
  all.push_back({"a shift for each angle", jitter});
  // At 0 degrees a spacing of 0.9 puts every tenth ray onto an edge.
  for (const double ratio : {0.21, 0.5, 0.9, 1.7, 3.0, 30.0}) {
    Geometry g = simple(29, 29, static_cast<int>(60 / ratio) + 3, half_turn(11));
    g.spacing = ratio * g.pixel_size;
    all.push_back({"spacing " + std::to_string(ratio) + " pixels", g, ratio == 0.9 ? 1e-4 : 2e-6});
  }
  return all;
}

}  // namespace firm::projectors
