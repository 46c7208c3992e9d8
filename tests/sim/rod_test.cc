#include "sim/rod.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firm/projector.h"
#include "sim/phantom.h"

namespace firm {
namespace {

constexpr int kSize = 500;  // the fine grid of 250 x 250
constexpr double kPixel = kRodField / kSize;

double mass(const Block& images, std::size_t slice) {
  double sum = 0;
  for (std::size_t p = 0; p < images.rows(); ++p) sum += static_cast<double>(images(p, slice));
  return sum * kPixel * kPixel;
}

double disc_area(double diameter) { return std::numbers::pi * diameter * diameter / 4; }

TEST(RodPhantom, HasMassesOfItsShapes) {
  const Phantom p = rod_phantom(kSize, 3);
  ASSERT_EQ(p.titles, (std::vector<std::string>{"W", "Au", "Zn", "XRT"}));
  EXPECT_NEAR(mass(p.images[0], 1), 19.25 * disc_area(5.2e-4), 0.005 * 19.25 * disc_area(5.2e-4));
  EXPECT_NEAR(mass(p.images[1], 1), 19.3 * disc_area(6e-4), 0.005 * 19.3 * disc_area(6e-4));
  EXPECT_EQ(p.other.columns(), 3u);
  EXPECT_EQ(p.energy, 12.1);
}

TEST(RodPhantom, AttenuationIsElementsAndGlass) {
  const Phantom p = rod_phantom(kSize, 1);
  const RodPart glass = rod_glass();
  EXPECT_NEAR(glass.coefficient, 9.76, 0.1);  // borosilicate glass at 12.1 keV
  const double all = glass.coefficient * glass.density;
  double area = 0;
  for (std::size_t k = 0; k < p.images[3].rows(); ++k) {
    double elements = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      elements += p.coefficients[i] * static_cast<double>(p.images[i](k, 0));
    }
    const double rest = static_cast<double>(p.images[3](k, 0)) - elements;
    ASSERT_NEAR(rest, static_cast<double>(p.other(k, 0)), 1e-3);
    area += rest / all * kPixel * kPixel;
    // Wires are beside the glass, zinc is in it.
    const bool inside = rest > 1e-3 * all;
    ASSERT_FALSE(inside && (p.images[0](k, 0) > 0 || p.images[1](k, 0) > 0));
    ASSERT_EQ(inside, p.images[2](k, 0) > 0);
  }
  EXPECT_NEAR(area, disc_area(112e-4), 0.002 * area);
}

// Diameter in beamlets at 250 x 250, and transmission through one wire.
TEST(RodPhantom, WiresAreWideEnoughAndNotOpaque) {
  const Phantom p = rod_phantom(kSize, 3);
  for (std::size_t slice = 0; slice < 3; ++slice) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double density = rod_elements()[i].density;
      const double diameter = std::sqrt(4 / std::numbers::pi * mass(p.images[i], slice) / density);
      EXPECT_GE(diameter / (2 * kPixel), 6);
      EXPECT_GT(std::exp(-p.coefficients[i] * density * diameter), 0.05);
    }
  }
}

// Shifts of ten beamlets, and a lag of as many, leave it in the field of view of 250 x 250 pixels.
TEST(RodPhantom, FitsIntoFieldOfView) {
  const Phantom p = rod_phantom(kSize, 3);
  double reach = 0;
  for (std::size_t k = 0; k < p.images[3].size(); ++k) {
    if (p.images[3].data()[k] == 0) continue;
    const std::size_t pixel = k / 3;
    const double x = static_cast<double>(pixel % kSize) + 0.5 - kSize / 2.0;
    const double y = static_cast<double>(pixel / kSize) + 0.5 - kSize / 2.0;
    reach = std::max(reach, std::hypot(x, y) / 2);
  }
  EXPECT_LT(reach, 125 - 20);
  EXPECT_GT(reach, 60);
}

TEST(RodPhantom, MassChangesFromSliceToSlice) {
  const Phantom p = rod_phantom(kSize, 9);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k + 1 < 9; ++k) {
      const double change = std::abs(mass(p.images[i], k + 1) / mass(p.images[i], k) - 1);
      EXPECT_LT(change, 0.2) << i << " " << k;
      // Zinc is most in the middle, where it changes least.
      if (i < 2 || (k != 3 && k != 4)) {
        EXPECT_GT(change, 0.005) << i << " " << k;
      }
    }
  }
}

TEST(RodPhantom, ZincIsInhomogeneousTrace) {
  const Block zinc = rod_phantom(kSize, 1).images[2];
  const float most = *std::max_element(zinc.values().begin(), zinc.values().end());
  EXPECT_FLOAT_EQ(most, 0.02f);
  int rich = 0;
  int poor = 0;
  for (const float value : zinc.values()) {
    rich += value == most ? 1 : 0;
    poor += value > 0 && value < most ? 1 : 0;
  }
  EXPECT_GT(rich, poor / 10);
  EXPECT_LT(rich, poor);
}

TEST(SliceHeights, GoOnBeyondEnds) {
  EXPECT_EQ(slice_heights(3), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(slice_heights(3, 1), (std::vector<double>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(slice_heights(1), std::vector<double>{0});
}

// Heights far beyond the object give images that can be measured.
TEST(SliceHeights, EveryPhantomHasImagesBeyondEnds) {
  for (const std::string& name : phantom_names()) {
    const std::vector<double> heights = {-5, 0, 5};
    for (const Block& images : draw_phantom(name, 64, heights).images) {
      for (const float value : images.values()) ASSERT_TRUE(std::isfinite(value) && value >= 0);
    }
  }
}

}  // namespace
}  // namespace firm
