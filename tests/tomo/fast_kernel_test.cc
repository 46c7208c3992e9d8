// Every fast kernel against the slow reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "firm/projector.h"
#include "projector_support.h"

namespace firm::projectors {
namespace {

class FastKernel : public testing::TestWithParam<std::string> {};

TEST_P(FastKernel, AgreesWithTheReference) {
  // 1e-6, and more where a ray runs along an edge of pixels, or within 1e-4 of it: there, weights
  // in fixed point can be off by up to 1e-4 of a pixel.
  for (const Case& c : cases()) {
    for (const int columns : {1, 3, 4, 16}) {
      SCOPED_TRACE(c.name + ", columns " + std::to_string(columns));
      const auto n = static_cast<std::size_t>(columns);
      const auto fast = make_projector(c.geometry, {GetParam(), 2, columns});
      const auto reference = make_projector(c.geometry, {"reference"});
      Block x(c.geometry.pixels(), n);
      Block y(c.geometry.rays(), n);
      fill_gaussian(x, 1);
      fill_gaussian(y, 2);
      Block y_fast(y.rows(), n), y_slow(y.rows(), n), x_fast(x.rows(), n), x_slow(x.rows(), n);
      fast->forward(x, y_fast);
      reference->forward(x, y_slow);
      fast->adjoint(y, x_fast);
      reference->adjoint(y, x_slow);
      EXPECT_LE(relative_difference(y_fast, y_slow), c.tolerance);
      EXPECT_LE(relative_difference(x_fast, x_slow), c.tolerance);
    }
  }
}

// A detector of beamlets far wider or narrower than pixels, not at its symmetric place.
Geometry extreme_geometry(double ratio) {
  const int beamlets = std::max(3, static_cast<int>(4 / ratio));
  Geometry g = simple(3, 3, beamlets, {0.3, 2.0});
  g.spacing = ratio * g.pixel_size;
  g.rotation_axis = beamlets / 2.0 + 0.3 / ratio;
  return g;
}

// Weights in fixed point have fewer digits there: a ten thousandth of a pixel is a few units.
TEST_P(FastKernel, AgreesAtExtremeSpacings) {
  for (const double ratio : {1 / kMostWidthRatio, 1e-3, 1e3, kMostWidthRatio}) {
    for (const std::size_t columns : {1u, 4u, 8u}) {
      if (ratio < 1e-3 && columns > 1) continue;  // takes long
      SCOPED_TRACE(std::to_string(ratio) + ", columns " + std::to_string(columns));
      const Geometry g = extreme_geometry(ratio);
      const auto fast = make_projector(g, {GetParam(), 2, static_cast<int>(columns)});
      const auto reference = make_projector(g, {"reference"});
      Block x(g.pixels(), columns), y(g.rays(), columns);
      fill_gaussian(x, 1);
      fill_gaussian(y, 2);
      Block ax(g.rays(), columns), expected_ax(g.rays(), columns);
      Block aty(g.pixels(), columns), expected_aty(g.pixels(), columns);
      fast->forward(x, ax);
      reference->forward(x, expected_ax);
      fast->adjoint(y, aty);
      reference->adjoint(y, expected_aty);
      EXPECT_GT(norm(expected_ax), 0);
      EXPECT_LE(relative_difference(ax, expected_ax), 1e-3);
      EXPECT_LE(relative_difference(aty, expected_aty), 1e-3);
    }
  }
}

TEST_P(FastKernel, TakesAnyNumberOfColumns) {
  const Geometry g = paper_geometry(21, 6);
  const auto reference = make_projector(g, {"reference"});
  const auto fast = make_projector(g, {GetParam(), 1, 8});  // fewer and more than it is set up for
  for (std::size_t n = 1; n <= 40; ++n) {
    Block x(g.pixels(), n), y(g.rays(), n), expected(g.rays(), n), back(g.pixels(), n),
        expected_back(g.pixels(), n);
    fill_gaussian(x, static_cast<unsigned>(n));
    fast->forward(x, y);
    reference->forward(x, expected);
    ASSERT_LE(relative_difference(y, expected), 1e-6) << n << " columns";
    fast->adjoint(expected, back);
    reference->adjoint(expected, expected_back);
    ASSERT_LE(relative_difference(back, expected_back), 1e-6) << n << " columns";
  }
}

// Four columns have kernels of their own, which take opposite rays and pixels together if the axis
// is in the middle of the detector.
TEST_P(FastKernel, TakesFourColumnsOfAnyBlock) {
  std::vector<double> turn;
  for (int k = 0; k < 16; ++k) turn.push_back(2 * kPi * k / 16);
  std::vector<Geometry> geometries{simple(41, 58, 73, turn), simple(58, 41, 72, half_turn(9)),
                                   simple(67, 35, 76, half_turn(6)),
                                   simple(9, 256, 256, half_turn(5))};  // rows that crowd a cache
  for (std::size_t k = 0; k < 4; ++k) {
    geometries.push_back(geometries[k]);
    geometries.back().rotation_axis += 1.37;
  }
  for (const Geometry& g : geometries) {
    const auto reference = make_projector(g, {"reference"});
    for (const std::size_t n : {4u, 5u, 12u, 20u}) {
      SCOPED_TRACE(std::to_string(g.image_columns) + " wide, columns " + std::to_string(n));
      const auto fast = make_projector(g, {GetParam(), 2, static_cast<int>(n)});
      Block x(g.pixels(), n), y(g.rays(), n), expected(g.rays(), n), back(g.pixels(), n),
          expected_back(g.pixels(), n);
      fill_gaussian(x, 8);
      fast->forward(x, y);
      reference->forward(x, expected);
      EXPECT_LE(relative_difference(y, expected), 1e-6);
      fast->adjoint(expected, back);
      reference->adjoint(expected, expected_back);
      EXPECT_LE(relative_difference(back, expected_back), 1e-6);
    }
  }
}

// Large enough for several tiles and bands, with rays that stay within the image all through a
// band, and for all ways to share weights: with mirrored, transposed and opposite rays, or none of
// them.
TEST_P(FastKernel, TakesManyColumnsOfLargerImages) {
  std::vector<Geometry> geometries{simple(150, 150, 213, half_turn(12)),
                                   simple(130, 171, 214, half_turn(7)),
                                   simple(171, 130, 90, {0.2, 0.21, 0.22, 1.1, 1.9})};
  for (std::size_t k = 0; k < 3; ++k) {
    geometries.push_back(geometries[k]);
    geometries.back().rotation_axis -= 2.3;
  }
  geometries.push_back(simple(256, 128, 128, half_turn(8)));  // rows that crowd a cache
  for (const Geometry& g : geometries) {
    const auto reference = make_projector(g, {"reference"});
    for (const std::size_t n : {8u, 16u, 33u}) {
      SCOPED_TRACE(std::to_string(g.image_columns) + " wide, columns " + std::to_string(n));
      const auto fast = make_projector(g, {GetParam(), 2, static_cast<int>(n)});
      Block x(g.pixels(), n), y(g.rays(), n), expected(g.rays(), n);
      fill_gaussian(x, 9);
      fast->forward(x, y);
      reference->forward(x, expected);
      EXPECT_LE(relative_difference(y, expected), 1e-6);
      Block back(g.pixels(), n), expected_back(g.pixels(), n);
      fast->adjoint(expected, back);
      reference->adjoint(expected, expected_back);
      EXPECT_LE(relative_difference(back, expected_back), 1e-6);
    }
  }
}

TEST_P(FastKernel, AgreesOnRandomGeometries) {
  std::mt19937_64 engine(7);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine);
  };
  for (int trial = 0; trial < 60; ++trial) {
    Geometry g;
    g.image_rows = static_cast<int>(uniform(1, 50));
    g.image_columns = static_cast<int>(uniform(1, 50));
    g.pixel_size = std::pow(10, uniform(-4, 1));
    g.beamlets = static_cast<int>(uniform(1, 90));
    g.spacing = g.pixel_size * std::pow(2, uniform(-1.5, 1.5));
    g.rotation_axis = g.beamlets / 2.0 + uniform(-9, 9);
    for (int k = 0; k < 6; ++k) g.angles.push_back(uniform(-10, 10));
    const auto n = static_cast<std::size_t>(uniform(1, 40));
    Block x(g.pixels(), n), y(g.rays(), n), expected(g.rays(), n), back(g.pixels(), n),
        expected_back(g.pixels(), n);
    fill_gaussian(x, static_cast<unsigned>(trial));
    const auto fast = make_projector(g, {GetParam(), 2, static_cast<int>(n)});
    const auto reference = make_projector(g, {"reference"});
    fast->forward(x, y);
    reference->forward(x, expected);
    ASSERT_LE(relative_difference(y, expected), 1e-5) << "trial " << trial;
    fast->adjoint(expected, back);
    reference->adjoint(expected, expected_back);
    ASSERT_LE(relative_difference(back, expected_back), 1e-5) << "trial " << trial;
  }
}

// Rays along an edge belong half to each side. A beamlet that is no binary fraction of a pixel wide
// makes fixed-point numbers round, forward and adjoint differently.
TEST_P(FastKernel, SplitsRaysAlongEdges) {
  for (const double spacing : {0.3, 0.7, 1.1, 1.5, 2.5, 3.0, 5.2}) {
    for (const int columns : {1, 16}) {
      Geometry g = simple(8, 9, 17, {0, M_PI / 2});
      g.spacing = spacing * g.pixel_size;
      const auto n = static_cast<std::size_t>(columns);
      Block x(g.pixels(), n), y(g.rays(), n);
      fill_gaussian(x, 5);
      fill_gaussian(y, 6);
      Block ax(g.rays(), n), aty(g.pixels(), n), expected_ax(g.rays(), n), expected(g.pixels(), n);
      const auto fast = make_projector(g, {GetParam(), 1, columns});
      const auto slow = make_projector(g, {"reference", 1, columns});
      fast->forward(x, ax);
      fast->adjoint(y, aty);
      slow->forward(x, expected_ax);
      slow->adjoint(y, expected);
      EXPECT_LE(relative_difference(ax, expected_ax), 5e-4) << spacing << " " << columns;
      EXPECT_LE(relative_difference(aty, expected), 5e-4) << spacing << " " << columns;
    }
  }
}

TEST_P(FastKernel, DoesNotDependOnTheNumberOfThreads) {
  Geometry g = paper_geometry(61, 14);
  for (const double off_centre : {0.0, 0.4}) {
    g.rotation_axis = g.beamlets / 2.0 + off_centre;
    for (const int columns : {1, 2, 4, 21}) {
      const auto n = static_cast<std::size_t>(columns);
      Block x(g.pixels(), n), y1(g.rays(), n), y2(g.rays(), n), x1(g.pixels(), n),
          x2(g.pixels(), n);
      fill_gaussian(x, 3);
      const auto one = make_projector(g, {GetParam(), 1, columns});
      one->forward(x, y1);
      one->adjoint(y1, x1);
      for (const int threads : {2, 3, 7}) {
        const auto many = make_projector(g, {GetParam(), threads, columns});
        many->forward(x, y2);
        many->adjoint(y1, x2);
        EXPECT_EQ(std::memcmp(y1.data(), y2.data(), y1.size() * sizeof(float)), 0);
        EXPECT_EQ(std::memcmp(x1.data(), x2.data(), x1.size() * sizeof(float)), 0);
      }
    }
  }
}

Block columns_of(const Block& all, std::size_t first, std::size_t count) {
  Block part(all.rows(), count);
  for (std::size_t row = 0; row < all.rows(); ++row) {
    for (std::size_t k = 0; k < count; ++k) part(row, k) = all(row, first + k);
  }
  return part;
}

bool same_bytes(const Block& a, const Block& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Both products, of columns [first, first + columns).
struct Products {
  Products(Projector& p, const Block& x, const Block& y, std::size_t first, std::size_t columns)
      : ax(y.rows(), columns), aty(x.rows(), columns) {
    p.forward(columns_of(x, first, columns), ax);
    p.adjoint(columns_of(y, first, columns), aty);
  }
  Block ax;
  Block aty;
};

// Projectors made for one or two columns are of one kind, those made for more of another.
TEST_P(FastKernel, GivesColumnSameBytesWhateverIsBesideIt) {
  constexpr std::size_t kMost = 37;
  const std::vector<std::vector<int>> kinds{{1, 2}, {3, 4, 5, 6, 7, 8, 11, 16, 23, 32, 37}};
  for (const Case& c : cases()) {
    const Geometry& g = c.geometry;
    Block x(g.pixels(), kMost), y(g.rays(), kMost);
    fill_gaussian(x, 21);
    fill_gaussian(y, 22);
    for (const std::vector<int>& kind : kinds) {
      const auto first = make_projector(g, {GetParam(), 1, kind.front()});
      const Products all(*first, x, y, 0, kMost);
      for (const int made_for : kind) {
        const auto other = make_projector(g, {GetParam(), 1, made_for});
        for (const std::size_t columns : {static_cast<std::size_t>(made_for), 1ul, 10ul}) {
          SCOPED_TRACE(c.name + ", made for " + std::to_string(made_for) + ", columns " +
                       std::to_string(columns));
          const std::size_t at = kMost - columns;
          const Products some(*other, x, y, at, columns);
          EXPECT_TRUE(same_bytes(some.ax, columns_of(all.ax, at, columns)));
          EXPECT_TRUE(same_bytes(some.aty, columns_of(all.aty, at, columns)));
        }
      }
    }
  }
}

TEST_P(FastKernel, LeavesNothingBehindBetweenCalls) {
  // Scratch of one call, with another number of columns, must not leak into the next.
  const Geometry g = paper_geometry(50, 10);
  const auto used = make_projector(g, {GetParam(), 2, 3});
  for (const std::size_t n : {3u, 2u, 1u, 3u}) {
    const auto fresh = make_projector(g, {GetParam(), 2, 3});
    Block x(g.pixels(), n), y(g.rays(), n), y_fresh(g.rays(), n), back(g.pixels(), n),
        back_fresh(g.pixels(), n);
    fill_gaussian(x, 11);
    fill_gaussian(y, 12);
    used->adjoint(y, back);
    used->forward(x, y);
    fresh->forward(x, y_fresh);
    EXPECT_EQ(std::memcmp(y.data(), y_fresh.data(), y.size() * sizeof(float)), 0) << n;
    used->adjoint(y, back);
    fresh->adjoint(y, back_fresh);
    EXPECT_EQ(std::memcmp(back.data(), back_fresh.data(), back.size() * sizeof(float)), 0) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, FastKernel, testing::ValuesIn(fast_kernels()),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace firm::projectors
