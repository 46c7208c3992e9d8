#include "sim/phantom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace firm {
namespace {

// Number of pixels per value, in thousandths.
std::map<long, int> histogram(const Block& images, std::size_t slice) {
  std::map<long, int> counts;
  for (std::size_t k = 0; k < images.rows(); ++k) {
    ++counts[std::lround(1000 * static_cast<double>(images(k, slice)))];
  }
  return counts;
}

float at(const Block& image, std::size_t n, std::size_t row, std::size_t column) {
  return image(row * n + column, 0);
}

double distance(const Block& images, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t k = 0; k < images.rows(); ++k) {
    const double d = static_cast<double>(images(k, a)) - static_cast<double>(images(k, b));
    sum += d * d;
  }
  return std::sqrt(sum);
}

void expect_sound(const Phantom& phantom) {
  ASSERT_EQ(phantom.images.size(), phantom.coefficients.size() + 1);
  ASSERT_EQ(phantom.titles.size(), phantom.images.size());
  const Block& xrt = phantom.images.back();
  for (std::size_t k = 0; k < xrt.size(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < phantom.coefficients.size(); ++i) {
      const float value = phantom.images[i].data()[k];
      ASSERT_GE(value, 0.0f);
      sum += phantom.coefficients[i] * static_cast<double>(value);
    }
    ASSERT_NEAR(static_cast<double>(xrt.data()[k]), sum, 1e-6 * (1 + sum));
  }
}

// An independent program computed the counts from the table of ellipses.
TEST(PaperPhantom, MatchesTable) {
  const Phantom p = paper_phantom(250, 1);
  const std::map<long, int> xrf1 = {{0, 53812}, {200, 6342}, {1000, 2346}};
  const std::map<long, int> xrf2 = {{0, 36380}, {200, 21028}, {300, 2380}, {1000, 2712}};
  const std::map<long, int> xrf3 = {{0, 36071}, {200, 22257}, {300, 1482}, {1000, 2690}};
  EXPECT_EQ(histogram(p.images[0], 0), xrf1);
  EXPECT_EQ(histogram(p.images[1], 0), xrf2);
  EXPECT_EQ(histogram(p.images[2], 0), xrf3);
}

TEST(PaperPhantom, HasRowZeroOnTop) {
  const Block xrf2 = paper_phantom(250, 1).images[1];
  EXPECT_FLOAT_EQ(at(xrf2, 250, 168, 124), 0.3f);  // the disc is in the lower half
  EXPECT_FLOAT_EQ(at(xrf2, 250, 81, 124), 0.0f);
  EXPECT_FLOAT_EQ(at(xrf2, 250, 150, 80), 0.0f);  // the left inclusion leans to the lower left
  EXPECT_FLOAT_EQ(at(xrf2, 250, 73, 80), 0.2f);
  EXPECT_FLOAT_EQ(at(xrf2, 250, 121, 152), 0.0f);  // the right inclusion
}

TEST(PaperPhantom, IsValidAtAllSizes) {
  for (const int n : {16, 17, 33, 64, 128, 250}) expect_sound(paper_phantom(n, 1));
}

TEST(PaperPhantom, RepeatsItsSlice) {
  const Phantom p = paper_phantom(20, 3);
  for (const Block& images : p.images) {
    ASSERT_EQ(images.columns(), 3u);
    EXPECT_EQ(distance(images, 0, 1), 0);
    EXPECT_EQ(distance(images, 0, 2), 0);
    EXPECT_GT(histogram(images, 2).size(), 1u);
  }
}

TEST(ElementsPhantom, IsValidAtAllSizes) {
  for (const int n : {16, 33, 100}) expect_sound(elements_phantom(n, 4));
  expect_sound(elements_phantom(24, 1));
}

TEST(ElementsPhantom, HasPaperShapesInMiddle) {
  const Phantom elements = elements_phantom(64, 5);
  const Phantom paper = paper_phantom(64, 1);
  const double densities[] = {0.4, 0.2, 0.1};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < paper.images[i].rows(); ++k) {
      ASSERT_NEAR(static_cast<double>(elements.images[i](k, 2)),
                  densities[i] * static_cast<double>(paper.images[i](k, 0)), 1e-6);
    }
  }
}

TEST(ElementsPhantom, ChangesSmoothlyAlongHeight) {
  const Phantom p = elements_phantom(100, 17);
  for (const Block& images : p.images) {
    const double across = distance(images, 0, 8);
    for (std::size_t k = 0; k + 1 < 17; ++k) {
      EXPECT_GT(distance(images, k, k + 1), 0) << k;
      EXPECT_LT(distance(images, k, k + 1), across) << k;
    }
  }
}

TEST(ElementsPhantom, IsThinnerAtEnds) {
  const Phantom p = elements_phantom(100, 9);
  for (const Block& images : p.images) {
    EXPECT_LT(histogram(images, 4)[0], histogram(images, 0)[0]);
    EXPECT_LT(histogram(images, 4)[0], histogram(images, 8)[0]);
  }
}

TEST(ShapesPhantom, IsValidAtAllSizes) {
  for (const int n : {4, 16, 33, 100}) expect_sound(shapes_phantom(n, 4));
  expect_sound(shapes_phantom(24, 1));
}

// Pairs of neighbouring pixels with different values.
std::set<std::pair<std::size_t, std::size_t>> edges(const Block& images, std::size_t slice,
                                                    std::size_t n) {
  std::set<std::pair<std::size_t, std::size_t>> found;
  const auto compare = [&](std::size_t a, std::size_t b) {
    if (images(a, slice) != images(b, slice)) found.insert({a, b});
  };
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      const std::size_t pixel = row * n + column;
      if (row + 1 < n) compare(pixel, pixel + n);
      if (column + 1 < n) compare(pixel, pixel + 1);
    }
  }
  return found;
}

TEST(ShapesPhantom, ElementsShareNoEdge) {
  for (const std::size_t n : {48, 101, 250}) {
    const Phantom p = shapes_phantom(static_cast<int>(n), 3);
    for (std::size_t slice = 0; slice < 3; ++slice) {
      std::size_t sum = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto own = edges(p.images[i], slice, n);
        EXPECT_GT(own.size(), n / 2) << n << " " << i;
        sum += own.size();
      }
      EXPECT_EQ(edges(p.images[3], slice, n).size(), sum) << n << " " << slice;
    }
  }
}

TEST(ShapesPhantom, HasShapesOfEachElementAtItsPlace) {
  const Phantom p = shapes_phantom(201, 3);  // pixel 100 + 100 x is at x
  const auto value = [&](std::size_t element, std::size_t row, std::size_t column) {
    return p.images[element](row * 201 + column, 1);
  };
  EXPECT_FLOAT_EQ(value(0, 60, 55), 1.0f);  // upper left disc
  EXPECT_FLOAT_EQ(value(0, 175, 116), 0.6f);
  EXPECT_FLOAT_EQ(value(1, 50, 142), 0.8f);
  EXPECT_FLOAT_EQ(value(1, 63, 164), 0.8f);  // this bar goes down to the right
  EXPECT_FLOAT_EQ(value(1, 63, 120), 0.0f);
  EXPECT_FLOAT_EQ(value(2, 145, 145), 0.0f);  // inside a ring
  EXPECT_FLOAT_EQ(value(2, 145, 163), 1.0f);
  EXPECT_FLOAT_EQ(value(2, 100, 195), 0.3f);
  EXPECT_FLOAT_EQ(p.images[3](145 * 201 + 163, 1), 0.3f);
}

TEST(ShapesPhantom, TurnsAlongHeight) {
  const Phantom p = shapes_phantom(100, 3);
  for (const Block& images : p.images) {
    EXPECT_GT(distance(images, 0, 1), 1);
    EXPECT_GT(distance(images, 1, 2), 1);
    EXPECT_NEAR(histogram(images, 0)[0], histogram(images, 1)[0], 60);
  }
}

// So that the same relative noise costs each site about the same.
TEST(ShapesPhantom, SitesAreComparable) {
  const Phantom p = shapes_phantom(64, 1);
  for (const Block& images : p.images) {
    const auto largest = *std::max_element(images.values().begin(), images.values().end());
    EXPECT_GE(largest, 0.3f);
    EXPECT_LE(largest, 1.0f);
  }
}

TEST(SmoothPhantom, HasNoEdge) {
  const std::size_t n = 128;
  const Phantom p = smooth_phantom(static_cast<int>(n), 1);
  for (const Block& images : p.images) {
    const auto [low, high] = std::ranges::minmax(images.values());
    EXPECT_GE(low, 0);
    EXPECT_GT(high, 0.3f);
    EXPECT_LE(high, 1.0f);
    for (std::size_t pixel = 0; pixel + n < images.rows(); ++pixel) {
      ASSERT_LT(std::abs(images(pixel + n, 0) - images(pixel, 0)), 0.12f * high);
      if (pixel % n + 1 == n) continue;
      ASSERT_LT(std::abs(images(pixel + 1, 0) - images(pixel, 0)), 0.12f * high);
    }
  }
}

TEST(SmoothPhantom, TurnsAlongHeight) {
  const Phantom p = smooth_phantom(64, 3);
  for (const Block& images : p.images) {
    EXPECT_GT(distance(images, 0, 1), 1);
    EXPECT_GT(distance(images, 1, 2), 1);
  }
}

}  // namespace
}  // namespace firm
