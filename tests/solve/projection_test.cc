// Compares the projection of a pixel onto W with bisection in extended precision, and checks the
// properties of a projection.
#include "solve/methods/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/noise.h"

namespace firm {
namespace {

constexpr std::size_t kBatch = PixelProjection::kBatch;
using Pixel = std::vector<double>;  // v_1 .. v_N

long double phi(const Pixel& c, const Pixel& v, long double l) {
  long double value = v.back() - l;
  for (std::size_t i = 0; i < c.size(); ++i) value -= c[i] * std::max(0.0L, v[i] + l * c[i]);
  return value;
}

// phi falls at least as fast as -l does, and phi(v_N) <= 0.
long double root_by_bisection(const Pixel& c, const Pixel& v) {
  long double high = v.back();
  long double low = high + phi(c, v, high);
  for (int k = 0; k < 90 && low < high; ++k) {
    const long double middle = (low + high) / 2;
    (phi(c, v, middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Pixel projection_by_bisection(const Pixel& c, const Pixel& v) {
  const long double l = root_by_bisection(c, v);
  Pixel w(v.size());
  long double last = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const long double value = std::max(0.0L, v[i] + l * c[i]);
    w[i] = static_cast<double>(value);
    last += c[i] * value;
  }
  w.back() = static_cast<double>(last);
  return w;
}

// Newton steps from the right until the piece does not change.
int newton_steps(const Pixel& c, const Pixel& v) {
  std::vector<bool> positive(c.size(), true);
  for (int steps = 0;; ++steps) {
    double value = v.back();
    double slope = 1;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (positive[i]) value -= c[i] * v[i];
      if (positive[i]) slope += c[i] * c[i];
    }
    std::vector<bool> next(c.size());
    for (std::size_t i = 0; i < c.size(); ++i) next[i] = v[i] + value / slope * c[i] > 0;
    if (next == positive) return steps;
    positive = next;
  }
}

// Rounding of v + l c, relative to what was added up.
double rounding(const Pixel& c, const Pixel& v) {
  double largest = 0;
  double sum = 1;
  for (const double value : v) largest = std::max(largest, std::abs(value));
  for (const double value : c) sum += value + value * value;
  return 1e-15 * largest * sum;
}

Pixel random_coefficients(std::size_t count, Random& random) {
  Pixel c(count);
  for (double& value : c) value = std::exp(2 * random.normal());
  return c;
}

// Random values as in a run: of either sign, with zeros and ties, and with break points -v_i / c_i
// that coincide or lie far apart.
Pixel random_pixel(const Pixel& c, Random& random) {
  Pixel v(c.size() + 1);
  const auto kind = static_cast<int>(6 * random.uniform());
  const double common = random.normal();
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double c_i = i < c.size() ? c[i] : 1;
    const double value = random.normal();
    if (kind == 0) v[i] = std::abs(value);
    if (kind == 1) v[i] = -std::abs(value);
    if (kind == 2) v[i] = value;
    if (kind == 3) v[i] = random.uniform() < 0.5 ? 0 : value;
    if (kind == 4) v[i] = common * c_i;
    if (kind == 5) v[i] = -c_i * std::exp(3 * value);
  }
  return v;
}

void project(PixelProjection& projection, std::vector<Pixel>& pixels) {
  ASSERT_EQ(pixels.size(), kBatch);
  std::vector<double> values(pixels.front().size() * kBatch);
  for (std::size_t k = 0; k < kBatch; ++k) {
    for (std::size_t i = 0; i < pixels[k].size(); ++i) values[i * kBatch + k] = pixels[k][i];
  }
  projection.project(values);
  for (std::size_t k = 0; k < kBatch; ++k) {
    for (std::size_t i = 0; i < pixels[k].size(); ++i) pixels[k][i] = values[i * kBatch + k];
  }
}

// Calls body(c, projection, random pixels) for N = 2..9, with at least `count` pixels in total.
template <typename Body>
void each_batch(std::size_t count, const Body& body) {
  Random random(1, 0);
  for (std::size_t done = 0, n = 1; done < count; done += kBatch, n = n % 8 + 1) {
    const Pixel c = random_coefficients(n, random);
    PixelProjection projection(c);
    std::vector<Pixel> pixels(kBatch);
    for (Pixel& v : pixels) v = random_pixel(c, random);
    body(c, projection, pixels);
  }
}

TEST(PixelProjection, AgreesWithBisection) {
  int sorted = 0;
  each_batch(100000,
             [&](const Pixel& c, PixelProjection& projection, const std::vector<Pixel>& pixels) {
               std::vector<Pixel> found = pixels;
               project(projection, found);
               for (std::size_t k = 0; k < kBatch; ++k) {
                 const Pixel expected = projection_by_bisection(c, pixels[k]);
                 for (std::size_t i = 0; i < expected.size(); ++i) {
                   ASSERT_NEAR(found[k][i], expected[i], rounding(c, pixels[k])) << k << " " << i;
                 }
                 if (newton_steps(c, pixels[k]) > 4) ++sorted;
               }
             });
  EXPECT_GT(sorted, 100) << "of the pixels that Newton steps alone do not solve";
}

TEST(PixelProjection, FindsRootBySorting) {
  each_batch(20000,
             [&](const Pixel& c, PixelProjection& projection, const std::vector<Pixel>& pixels) {
               for (const Pixel& v : pixels) {
                 const auto expected = static_cast<double>(root_by_bisection(c, v));
                 ASSERT_NEAR(projection.root_by_sorting(v), expected, rounding(c, v));
               }
             });
}

TEST(PixelProjection, IsFeasibleAndIdempotent) {
  each_batch(20000, [&](const Pixel& c, PixelProjection& projection, std::vector<Pixel> pixels) {
    project(projection, pixels);
    std::vector<Pixel> again = pixels;
    project(projection, again);
    for (std::size_t k = 0; k < kBatch; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        ASSERT_GE(pixels[k][i], 0);
        sum += c[i] * pixels[k][i];
      }
      ASSERT_EQ(pixels[k].back(), sum);
      for (std::size_t i = 0; i <= c.size(); ++i) {
        ASSERT_NEAR(again[k][i], pixels[k][i], rounding(c, pixels[k]));
      }
    }
  });
}

// w is the point of W nearest to v if and only if <v - w, u - w> <= 0 for every u in W.
TEST(PixelProjection, SatisfiesVariationalInequality) {
  Random random(2, 0);
  each_batch(20000,
             [&](const Pixel& c, PixelProjection& projection, const std::vector<Pixel>& pixels) {
               std::vector<Pixel> found = pixels;
               project(projection, found);
               for (std::size_t k = 0; k < kBatch; ++k) {
                 Pixel u(c.size() + 1, 0.0);
                 for (std::size_t i = 0; i < c.size(); ++i) {
                   u[i] = random.uniform() < 0.3 ? 0 : 3 * random.uniform();
                   u.back() += c[i] * u[i];
                 }
                 double product = 0;
                 double size = 0;
                 for (std::size_t i = 0; i < u.size(); ++i) {
                   product += (pixels[k][i] - found[k][i]) * (u[i] - found[k][i]);
                   size = std::max({size, std::abs(u[i]), std::abs(found[k][i])});
                 }
                 ASSERT_LE(product, 100 * size * rounding(c, pixels[k]));
               }
             });
}

TEST(PixelProjection, MatchesKnownCasesOfOneXrfSite) {
  PixelProjection projection({2});
  std::vector<Pixel> pixels(kBatch, {0, 0});
  pixels[0] = {1, 2};     // in W
  pixels[1] = {3, -1};    // onto the line w_2 = 2 w_1: along (1, 2) / sqrt(5)
  pixels[2] = {-1, -5};   // behind the corner
  pixels[3] = {-1, 0.5};  // projects to the corner, just: 1 x -1 + 2 x 0.5 = 0
  project(projection, pixels);
  EXPECT_EQ(pixels[0], (Pixel{1, 2}));
  EXPECT_NEAR(pixels[1][0], 0.2, 1e-15);
  EXPECT_NEAR(pixels[1][1], 0.4, 1e-15);
  EXPECT_EQ(pixels[2], (Pixel{0, 0}));
  EXPECT_EQ(pixels[3], (Pixel{0, 0}));
  EXPECT_EQ(pixels[4], (Pixel{0, 0}));
}

TEST(PixelProjection, RequiresPositiveCoefficients) {
  EXPECT_THROW(PixelProjection({1, 0}), std::logic_error);
  EXPECT_THROW(PixelProjection({-1}), std::logic_error);
}

}  // namespace
}  // namespace firm
