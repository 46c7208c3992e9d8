// T by sweeps against T by exact ray tracing, by hand, and its storage.
#include <gtest/gtest.h>

#include <cmath>

#include "attenuated_support.h"
#include "firm/error.h"

namespace firm::attenuated {
namespace {

// The largest and the root mean square error of T, over all angles.
struct Errors {
  double largest = 0;
  double rms = 0;
};

Errors errors(const Geometry& g, const FluorescencePath& path, const Block& incident,
              const Block& line, int grid = 1) {
  TransmittanceOptions o = options(incident.columns());
  o.grid = grid;
  Transmittance t(g, path, o);
  t.update(incident, line);
  Errors e;
  double sum = 0;
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    const Block expected = reference_transmittance(g, path, incident, line, k);
    const Block found = t.image(k);
    e.largest = std::max(e.largest, largest_difference(found, expected));
    const double relative = relative_difference(found, expected);
    sum += relative * relative * dot(expected, expected) / static_cast<double>(expected.size());
  }
  e.rms = std::sqrt(sum / static_cast<double>(g.angles.size()));
  return e;
}

// Two angles in each octant, the multiples of 45 degrees, and angles close to an axis.
std::vector<double> all_octants() {
  std::vector<double> angles = full_turn(16, 0.13);
  for (int k = 0; k < 8; ++k) angles.push_back(kPi / 4 * k);
  for (const double a : {1e-6, 1e-3, kPi / 2 - 1e-3, kPi + 1e-3, 1.5 * kPi - 1e-6, -0.02}) {
    angles.push_back(a);
  }
  return angles;
}

TEST(Transmittance, AgreesWithRayTracingOnSmoothImagesInAllOctants) {
  for (const auto& [rows, columns] : {std::pair{32, 32}, {21, 40}, {45, 17}, {1, 9}, {9, 1}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    const Geometry g = scan(rows, columns, all_octants());
    const Errors e = errors(g, {}, smooth_image(g, 2, 1, 1.0), smooth_image(g, 2, 2, 1.5));
    // An image of one row is all border: nothing is smooth there.
    EXPECT_LE(e.largest, 0.04);
    EXPECT_LE(e.rms, std::min(rows, columns) > 1 ? 2e-3 : 6e-3);
  }
}

TEST(Transmittance, ErrorFallsWithPixelSize) {
  if (choose_kernel("auto") == nullptr) GTEST_SKIP() << "the reference has no error";
  const auto error = [](int side) {
    Geometry g = scan(side, side, full_turn(16, 0.13));
    g.pixel_size = 1.0 / side;
    return errors(g, {}, smooth_image(g, 1, 1, 1.0), smooth_image(g, 1, 2, 1.5)).rms;
  };
  EXPECT_LE(error(60), error(20) / 5);
}

TEST(Transmittance, AgreesWithRayTracingOnBlockyImages) {
  // Sweeps smooth attenuation over the width of a pixel; the ray through a pixel's centre sees
  // steps. So T differs beside edges that run along rays, by up to 1/8 of a pixel's absorption for
  // each row in which the ray stays within a pixel's width of the edge.
  const Geometry g = scan(32, 36, all_octants());
  const Errors e = errors(g, {}, blocky_image(g, 3, 1, 1.0, 8), blocky_image(g, 3, 2, 1.5, 8));
  EXPECT_LE(e.largest, 0.25);
  EXPECT_LE(e.rms, 0.01);
}

TEST(Transmittance, TakesTheBeamFromBothSidesAndSeveralDirections) {
  const Geometry g = scan(24, 31, all_octants());
  const Block incident = smooth_image(g, 1, 3, 1.0);
  const Block line = smooth_image(g, 1, 4, 2.0);
  for (const int beam : {1, -1}) {
    for (const double side : {0.0, kPi}) {
      const FluorescencePath one{beam, {{side, 1}}};
      EXPECT_LE(errors(g, one, incident, line).rms, 1e-3);
      const FluorescencePath five{beam,
                                  {{side - 0.4, 0.1},
                                   {side - 0.2, 0.2},
                                   {side, 0.4},
                                   {side + 0.2, 0.2},
                                   {side + 0.4, 0.1}}};
      EXPECT_LE(errors(g, five, incident, line).rms, 1e-3);
    }
  }
}

TEST(Transmittance, IsOneBeforeTheFirstUpdateAndWithoutAttenuation) {
  const Geometry g = scan(12, 9, full_turn(7));
  for (const std::size_t columns : {1, 5}) {
    FluorescencePath three;
    three.detectors = {{-0.3, 0.3}, {0, 0.3}, {0.3, 0.4}};
    Transmittance t(g, three, options(columns));
    const Block nothing(g.pixels(), columns);
    for (const bool updated : {false, true}) {
      if (updated) t.update(nothing, nothing);
      for (std::size_t k = 0; k < g.angles.size(); ++k) {
        const Block image = t.image(k);
        for (const float v : image.values()) ASSERT_EQ(v, 1.0f);
      }
    }
  }
}

// Pixels of 1 cm, attenuation in 1/cm:
//
//     incident   0.1 0.2 0.3        line   0.5 0.0 0.1
//                0.4 0.5 0.6               0.2 0.3 0.4
//                0.7 0.8 0.9               0.6 0.7 0.8
//
// At 0 degrees the beam travels up, along (0, 1), and "+t" is to the right. To the middle of the
// left pixel of the top row it crosses 0.7 and 0.4 and half of 0.1: 1.15. From there to the right
// the line crosses half of 0.5, 0 and 0.1: 0.35. At 90 degrees the beam travels to the left, along
// (-1, 0), and "+t" is up.
TEST(Transmittance, HasTheNumbersOfAHandMadeImage) {
  Geometry g = scan(3, 3, {0, kPi / 2, kPi, 1.5 * kPi});
  g.pixel_size = 1;
  const auto image = [&](std::initializer_list<float> values) {
    Block b(9, 1);
    std::copy(values.begin(), values.end(), b.data());
    return b;
  };
  const Block incident = image({0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f});
  const Block line = image({0.5f, 0.0f, 0.1f, 0.2f, 0.3f, 0.4f, 0.6f, 0.7f, 0.8f});
  constexpr double kUnit = 1.0 / 32768;
  const auto expect = [&](const FluorescencePath& path, std::size_t angle, std::size_t pixel,
                          double in, double out) {
    Transmittance t(g, path, options(1));
    t.update(incident, line);
    SCOPED_TRACE("angle " + std::to_string(angle) + ", pixel " + std::to_string(pixel));
    EXPECT_NEAR(t.image(angle)(pixel, 0), std::exp(-in - out), kUnit);
    EXPECT_NEAR(reference_transmittance(g, path, incident, line, angle)(pixel, 0),
                std::exp(-in - out), 1e-6);
  };
  // 0 degrees: beam up, detector right.
  expect({}, 0, 0, 0.7 + 0.4 + 0.05, 0.25 + 0.0 + 0.1);
  expect({}, 0, 4, 0.8 + 0.25, 0.15 + 0.4);
  expect({}, 0, 8, 0.45, 0.4);
  // 90 degrees: beam to the left, detector above.
  expect({}, 1, 0, 0.3 + 0.2 + 0.05, 0.25);
  expect({}, 1, 7, 0.9 + 0.4, 0.35 + 0.3 + 0.0);
  // 180 degrees: beam down, detector on the left. 270: beam to the right, detector below.
  expect({}, 2, 5, 0.3 + 0.3, 0.2 + 0.3 + 0.2);
  expect({}, 3, 5, 0.4 + 0.5 + 0.3, 0.2 + 0.8);
  // The other side, the other beam, and two detectors.
  expect({1, {{kPi, 1}}}, 0, 0, 0.7 + 0.4 + 0.05, 0.25);
  expect({-1, {{0, 1}}}, 0, 0, 0.05, 0.25 + 0.0 + 0.1);
  const double both = -std::log(0.25 * std::exp(-0.35) + 0.75 * std::exp(-0.25));
  expect({1, {{0, 0.25}, {kPi, 0.75}}}, 0, 0, 0.7 + 0.4 + 0.05, both);
}

TEST(Transmittance, OnACoarserGridStaysWithinABlocksAbsorption) {
  // T is constant in a block: off by up to half a block's side along both ways, for pixels of
  // 0.05 cm and at most 2 / cm and 3 / cm. Odd sizes have blocks with pixels missing.
  const Geometry g = scan(37, 42, full_turn(12, 0.05));
  const Block incident = smooth_image(g, 2, 5, 2.0);
  const Block line = smooth_image(g, 2, 6, 3.0);
  const Errors one = errors(g, {}, incident, line, 1);
  const Errors two = errors(g, {}, incident, line, 2);
  const Errors four = errors(g, {}, incident, line, 4);
  EXPECT_LE(one.rms, 2e-3);
  EXPECT_LE(two.rms, 0.03);
  EXPECT_LE(four.rms, 0.06);
  EXPECT_LE(two.largest, 0.5 * 2 * 0.05 * 5);
  EXPECT_LE(four.largest, 0.5 * 4 * 0.05 * 5);
}

TEST(Transmittance, TakesAGridBySizeOfTheImage) {
  const auto grid = [](int rows, int columns) {
    TransmittanceOptions o = options(1);
    o.grid = 0;
    return Transmittance(scan(rows, columns, {0.1}), {}, o).layout().grid();
  };
  EXPECT_EQ(grid(255, 300), 1);
  EXPECT_EQ(grid(300, 255), 1);
  EXPECT_EQ(grid(256, 256), 2);
  const Geometry g = scan(256, 260, {0.1, 0.2});
  EXPECT_EQ(Transmittance::estimate_bytes(g, 1, 0, 0), Transmittance::estimate_bytes(g, 1, 2, 0));
}

TEST(Transmittance, HasTheSameBytesForAnyColumnsThreadsAndLimit) {
  const Geometry g = scan(19, 23, full_turn(72, 0.01));
  const Block incident = smooth_image(g, 9, 7, 1.0);
  const Block line = smooth_image(g, 9, 8, 1.0);
  Transmittance all(g, {}, options(9, 1));
  all.update(incident, line);
  TransmittanceOptions limited = options(9, 3);
  limited.max_bytes = Transmittance::estimate_bytes(g, 9, 1, 0) / 2;
  Transmittance bands(g, {}, limited);
  bands.update(incident, line);
  EXPECT_GT(bands.band(), 0u);
  EXPECT_LT(bands.bytes(), all.bytes());
  for (const std::size_t k : {0, 11, 40, 71}) EXPECT_TRUE(same_bytes(all.image(k), bands.image(k)));
  for (const std::size_t columns : {3, 4}) {
    Block few_incident(g.pixels(), columns), few_line(g.pixels(), columns);
    for (std::size_t p = 0; p < g.pixels(); ++p) {
      for (std::size_t c = 0; c < columns; ++c) {
        few_incident(p, c) = incident(p, c + 2);
        few_line(p, c) = line(p, c + 2);
      }
    }
    Transmittance few(g, {}, options(columns));
    few.update(few_incident, few_line);
    for (const std::size_t k : {0, 17, 60}) {
      const Block a = all.image(k), b = few.image(k);
      for (std::size_t p = 0; p < g.pixels(); ++p) {
        for (std::size_t c = 0; c < columns; ++c) ASSERT_EQ(a(p, c + 2), b(p, c));
      }
    }
  }
}

TEST(Transmittance, EstimatesItsMemory) {
  if (choose_kernel("auto") == nullptr) GTEST_SKIP() << "made for fast kernels";
  const Geometry g = scan(64, 50, full_turn(40));
  for (const int columns : {1, 16}) {
    for (const int grid : {1, 2, 4}) {
      TransmittanceOptions o = options(static_cast<std::size_t>(columns), 0);
      o.grid = grid;
      const Transmittance t(g, {}, o);
      const std::size_t estimate = Transmittance::estimate_bytes(g, columns, grid, 0);
      EXPECT_GE(estimate, t.bytes());
      EXPECT_LE(estimate, t.bytes() + t.bytes() / 4);
    }
  }
}

std::string message(const Geometry& g, const FluorescencePath& path,
                    const TransmittanceOptions& o) {
  try {
    Transmittance t(g, path, o);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Transmittance, RefusesWrongOptions) {
  const Geometry g = scan(8, 8, full_turn(50));
  TransmittanceOptions o;
  o.grid = 3;
  EXPECT_EQ(message(g, {}, o),
            "self-absorption: grid: expected 0 (by the size of the image), 1, 2 or 4, found 3");
  EXPECT_EQ(message(g, {0, {{0, 1}}}, {}), "self-absorption: beam: expected 1 or -1, found 0");
  EXPECT_EQ(message(g, {1, {}}, {}),
            "self-absorption: detectors: expected at least one direction, found none");
  EXPECT_EQ(message(g, {1, {{0, 0.5}, {1, 0.4}}}, {}),
            "self-absorption: detectors: expected weights that sum to 1, found a sum of 0.9");
  o.grid = 1;
  o.max_bytes = 10;
  EXPECT_NE(message(g, {}, o).find("self-absorption: max_bytes: expected at least"),
            std::string::npos);
}

}  // namespace
}  // namespace firm::attenuated
