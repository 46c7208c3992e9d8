// Geometries, images and differences for the tests of the attenuated projector.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/geometry.h"
#include "tomo/attenuated/attenuated.h"
#include "tomo/attenuated/reference_transmittance.h"
#include "tomo/kernel_choice.h"

namespace firm::attenuated {

inline constexpr double kPi = std::numbers::pi;

inline std::vector<double> full_turn(int count, double first = 0) {
  std::vector<double> angles;
  for (int k = 0; k < count; ++k) angles.push_back(first + 2 * kPi * k / count);
  return angles;
}

// Pixels and beamlets of 1 cm / 20.
inline Geometry scan(int rows, int columns, std::vector<double> angles) {
  Geometry g;
  g.image_rows = rows;
  g.image_columns = columns;
  g.pixel_size = g.spacing = 0.05;
  g.beamlets = static_cast<int>(std::ceil(std::hypot(rows, columns))) + 2;
  g.rotation_axis = g.beamlets / 2.0;
  g.angles = std::move(angles);
  return g;
}

inline Block random_block(std::size_t rows, std::size_t columns, unsigned seed, double low,
                          double high) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Block b(rows, columns);
  for (float& v : b.values()) v = static_cast<float>(uniform(engine));
  return b;
}

// Attenuation between 0 and `most`: a few waves, different in each column, small at the border.
inline Block smooth_image(const Geometry& g, std::size_t columns, unsigned seed, double most) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Block b(g.pixels(), columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const double a = 4 * uniform(engine), d = 4 * uniform(engine), phase = 6 * uniform(engine);
    std::size_t pixel = 0;
    for (int i = 0; i < g.image_rows; ++i) {
      for (int j = 0; j < g.image_columns; ++j, ++pixel) {
        const double u = (j + 0.5) / g.image_columns, v = (i + 0.5) / g.image_rows;
        const double window = std::sin(kPi * u) * std::sin(kPi * v);
        b(pixel, c) =
            static_cast<float>(0.5 * most * window * (1 + std::sin(a * u + d * v + phase)));
      }
    }
  }
  return b;
}

// Attenuation of 0 or `most`, in squares of `side` pixels.
inline Block blocky_image(const Geometry& g, std::size_t columns, unsigned seed, double most,
                          int side) {
  Block b(g.pixels(), columns);
  const auto across = static_cast<std::size_t>(g.image_columns / side + 1);
  const Block squares =
      random_block(across * static_cast<std::size_t>(g.image_rows / side + 1), columns, seed, 0, 1);
  std::size_t pixel = 0;
  for (int i = 0; i < g.image_rows; ++i) {
    for (int j = 0; j < g.image_columns; ++j, ++pixel) {
      const std::size_t square =
          static_cast<std::size_t>(i / side) * across + static_cast<std::size_t>(j / side);
      for (std::size_t c = 0; c < columns; ++c) {
        b(pixel, c) = squares(square, c) < 0.5f ? 0.0f : static_cast<float>(most);
      }
    }
  }
  return b;
}

inline double largest_difference(const Block& a, const Block& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most,
                    std::abs(static_cast<double>(a.data()[k]) - static_cast<double>(b.data()[k])));
  }
  return most;
}

inline double dot(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += static_cast<double>(a.data()[k]) * static_cast<double>(b.data()[k]);
  }
  return sum;
}

inline double relative_difference(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = static_cast<double>(a.data()[k]) - static_cast<double>(b.data()[k]);
    sum += d * d;
  }
  return std::sqrt(sum / std::max(dot(b, b), 1e-300));
}

inline bool same_bytes(const Block& a, const Block& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline TransmittanceOptions options(std::size_t columns, int threads = 2) {
  TransmittanceOptions o;
  o.columns = static_cast<int>(columns);
  o.threads = threads;
  return o;
}

}  // namespace firm::attenuated
