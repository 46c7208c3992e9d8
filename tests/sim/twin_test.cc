// Twins of real scans: every defect alone against a direct computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "firm/error.h"
#include "firm/projector.h"
#include "sim/noise.h"
#include "sim/phantom.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr int kSize = 64;
constexpr int kAngles = 12;

using Change = std::function<void(SimulateOptions&)>;

Simulation twin(const Change& change = [](SimulateOptions&) {}) {
  SimulateOptions o;
  o.preset = "rod";
  o.size = kSize;
  o.angles = kAngles;
  o.pixel_size = default_pixel_size("rod", kSize);
  change(o);
  return simulate(o);
}

double norm(const Block& block) {
  double sum = 0;
  for (const float v : block.values()) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

Block difference(const Block& a, const Block& b) {
  Block d = a;
  for (std::size_t k = 0; k < d.size(); ++k) d.data()[k] -= b.data()[k];
  return d;
}

void expect_near(const Block& a, const Block& b, double relative) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  EXPECT_GT(norm(b), 0);
  EXPECT_LT(norm(difference(a, b)), relative * norm(b));
}

// Position of the middle of a projection, in beamlets, and its sum.
struct Middle {
  double position = 0;
  double sum = 0;
};

Middle middle(const Block& data, std::size_t beamlets, std::size_t angle, std::size_t slice = 0) {
  Middle m;
  for (std::size_t j = 0; j < beamlets; ++j) {
    const double value = static_cast<double>(data(angle * beamlets + j, slice));
    m.sum += value;
    m.position += (static_cast<double>(j) + 0.5) * value;
  }
  m.position /= m.sum;
  return m;
}

// Means of eight rays through images twice as fine, at these angles.
Block measured(const Block& fine, Geometry g) {
  const auto rays = g.rays();
  g.image_rows *= 2;
  g.image_columns *= 2;
  g.pixel_size /= 2;
  g.beamlets *= 8;
  g.spacing /= 8;
  g.rotation_axis *= 8;
  Block y(g.rays(), fine.columns());
  make_projector(g, {"reference", 1, 1})->forward(fine, y);
  Block mean(rays, fine.columns());
  for (std::size_t ray = 0; ray < rays; ++ray) {
    for (std::size_t z = 0; z < fine.columns(); ++z) {
      double sum = 0;
      for (std::size_t q = 0; q < 8; ++q) sum += static_cast<double>(y(8 * ray + q, z));
      mean(ray, z) = static_cast<float>(sum / 8);
    }
  }
  return mean;
}

TEST(Twin, IsMeasuredOnFineGrid) {
  for (const std::string preset : {"paper", "elements", "shapes", "rod"}) {
    const Simulation s = twin([&](SimulateOptions& o) {
      o.preset = preset;
      o.slices = 3;
      o.defects.axis_offset = 2;
    });
    const Phantom fine = draw_phantom(preset, 2 * kSize, slice_heights(3));
    Geometry g = s.geometry;
    g.rotation_axis += 2;
    for (std::size_t i = 0; i < 4; ++i) {
      expect_near(s.sites[i].data, measured(fine.images[i], g), 1e-5);
      for (std::size_t p = 0; p < s.sites[i].truth.rows(); ++p) {
        const std::size_t corner = 2 * (p / kSize) * 2 * kSize + 2 * (p % kSize);
        double sum = 0;
        for (const std::size_t q : {corner, corner + 1, corner + 2 * kSize, corner + 2 * kSize + 1})
          sum += static_cast<double>(fine.images[i](q, 1));
        ASSERT_NEAR(static_cast<double>(s.sites[i].truth(p, 1)), sum / 4, 1e-6 * (1 + sum));
      }
    }
  }
}

// More slices than are drawn at once.
TEST(Twin, DrawsTallStacksInParts) {
  const Simulation s = twin([](SimulateOptions& o) { o.slices = 19; });
  const Phantom fine = draw_phantom("rod", 2 * kSize, slice_heights(19));
  for (const std::size_t i : {0u, 3u}) {
    expect_near(s.sites[i].data, measured(fine.images[i], s.geometry), 1e-5);
  }
}

TEST(Twin, AxisOffsetMovesProjections) {
  const Simulation clean = twin();
  const Simulation s = twin([](SimulateOptions& o) { o.defects.axis_offset = 5; });
  EXPECT_EQ(s.scan.rotation_axis, s.geometry.rotation_axis + 5);
  EXPECT_EQ(s.geometry.rotation_axis, s.geometry.beamlets / 2.0);
  const auto beamlets = static_cast<std::size_t>(s.geometry.beamlets);
  for (std::size_t i = 0; i < 4; ++i) {
    const float tolerance = 1e-5f * static_cast<float>(clean.sites[i].largest);
    for (std::size_t ray = 0; ray < s.geometry.rays(); ++ray) {
      if (ray % beamlets < 5) continue;
      ASSERT_NEAR(s.sites[i].data(ray, 0), clean.sites[i].data(ray - 5, 0), tolerance);
    }
  }
}

TEST(Twin, JitterAndDriftMoveProjectionsOfAllSites) {
  const Simulation clean = twin();
  const Simulation s = twin([](SimulateOptions& o) {
    o.defects.jitter = 4;
    o.defects.drift = 6;
  });
  const auto beamlets = static_cast<std::size_t>(s.geometry.beamlets);
  double largest = 0;
  for (std::size_t k = 0; k < kAngles; ++k) {
    largest = std::max(largest, std::abs(s.scan.shifts[k]));
    for (std::size_t i = 0; i < 4; ++i) {
      const Middle before = middle(clean.sites[i].data, beamlets, k);
      const Middle after = middle(s.sites[i].data, beamlets, k);
      // Rays at 0 and 90 degrees see shifts in steps of an eighth of a beamlet.
      EXPECT_NEAR(after.position - before.position, s.scan.shifts[k],
                  i == 2 && k % 6 != 0 ? 0.01 : 0.065)
          << i << " " << k;
    }
  }
  EXPECT_GT(largest, 1);
}

TEST(Twin, VerticalJitterMovesRows) {
  constexpr std::size_t kSlices = 5;
  const auto five = [](SimulateOptions& o) { o.slices = kSlices; };
  const Simulation clean = twin(five);
  const Simulation s = twin([&](SimulateOptions& o) {
    five(o);
    o.defects.vertical_jitter = 0.8;
  });
  const auto beamlets = static_cast<std::size_t>(s.geometry.beamlets);
  const Block& zinc = s.sites[2].data;
  const Block& still = clean.sites[2].data;
  for (std::size_t ray = 0; ray < s.geometry.rays(); ++ray) {
    const double shift = s.scan.vertical_shifts[ray / beamlets];
    for (std::size_t y = 0; y < kSlices; ++y) {
      const std::size_t other = shift > 0 ? y - 1 : y + 1;
      if (other >= kSlices || std::abs(shift) > 1) continue;
      const double expected = (1 - std::abs(shift)) * static_cast<double>(still(ray, y)) +
                              std::abs(shift) * static_cast<double>(still(ray, other));
      ASSERT_NEAR(static_cast<double>(zinc(ray, y)), expected, 1e-9);
    }
  }
  // The object goes on beyond the first and the last slice.
  for (std::size_t k = 0; k < kAngles; ++k) {
    for (const std::size_t end : {std::size_t{0}, kSlices - 1}) {
      const double before = middle(clean.sites[0].data, beamlets, k, end).sum;
      EXPECT_NEAR(middle(s.sites[0].data, beamlets, k, end).sum, before, 0.25 * before);
    }
  }
  EXPECT_EQ(norm(difference(s.sites[2].truth, clean.sites[2].truth)), 0);
}

TEST(Twin, AngleErrorIsNotInFiles) {
  const Simulation s = twin([](SimulateOptions& o) { o.defects.angle_error = 0.05; });
  Geometry g = s.geometry;
  EXPECT_EQ(g.angles, half_turn(kAngles));
  for (double& angle : g.angles) angle *= 1.05;
  const Phantom fine = draw_phantom("rod", 2 * kSize, slice_heights(1));
  for (const std::size_t i : {0u, 3u}) {
    expect_near(s.sites[i].data, measured(fine.images[i], g), 1e-5);
  }
}

TEST(Twin, LagActsOnXrtOnly) {
  const Simulation clean = twin();
  const Simulation s = twin([](SimulateOptions& o) { o.defects.lag = 6; });
  EXPECT_EQ(s.sites[3].lag, 6);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(norm(difference(s.sites[i].data, clean.sites[i].data)), 0);
  }
  const auto beamlets = static_cast<std::size_t>(s.geometry.beamlets);
  const double a = std::exp(-1 / 6.0);
  double state = 0;
  for (std::size_t ray = 0; ray < s.geometry.rays(); ++ray) {
    const double x = static_cast<double>(clean.sites[3].data(ray, 0));
    state = ray % beamlets == 0 ? x : a * state + (1 - a) * x;
    ASSERT_NEAR(static_cast<double>(s.sites[3].data(ray, 0)), state, 1e-6);
  }
}

TEST(Twin, LagOfCountsActsOnIntensities) {
  constexpr double kPhotons = 1e7;
  const Simulation clean = twin();
  const Simulation s = twin([](SimulateOptions& o) {
    o.defects.lag = 6;
    o.defects.beam_drift = 0.2;
    o.counts = kPhotons;
  });
  const auto beamlets = static_cast<std::size_t>(s.geometry.beamlets);
  const double a = std::exp(-1 / 6.0);
  double state = 0;
  double pull = 0;
  for (std::size_t ray = 0; ray < s.geometry.rays(); ++ray) {
    const double x = s.scan.gain[ray / beamlets] * kPhotons *
                     std::exp(-static_cast<double>(clean.sites[3].data(ray, 0)));
    state = ray % beamlets == 0 ? x : a * state + (1 - a) * x;
    const double mean = state + 0.01 * kPhotons;
    pull += std::pow(static_cast<double>(s.sites[3].data(ray, 0)) - mean, 2) / mean;
  }
  EXPECT_NEAR(pull / static_cast<double>(s.geometry.rays()), 1, 0.15);
}

TEST(Twin, BeamDriftMultipliesAllSignals) {
  const Simulation clean = twin();
  const Simulation s = twin([](SimulateOptions& o) { o.defects.beam_drift = 0.3; });
  const auto beamlets = static_cast<std::size_t>(s.geometry.beamlets);
  EXPECT_LT(s.scan.gain.front(), 0.9);
  for (std::size_t ray = 0; ray < s.geometry.rays(); ++ray) {
    const double gain = s.scan.gain[ray / beamlets];
    for (std::size_t i = 0; i < 3; ++i) {
      const double before = static_cast<double>(clean.sites[i].data(ray, 0));
      ASSERT_NEAR(static_cast<double>(s.sites[i].data(ray, 0)), gain * before, 1e-6 * before);
    }
    ASSERT_NEAR(static_cast<double>(s.sites[3].data(ray, 0)),
                static_cast<double>(clean.sites[3].data(ray, 0)) - std::log(gain), 1e-6);
  }
}

TEST(Twin, CrosstalkAddsSecondElementToFirst) {
  const Simulation clean = twin();
  const Simulation s = twin([](SimulateOptions& o) { o.defects.crosstalk = 0.25; });
  EXPECT_EQ(s.sites[0].title, "W");
  EXPECT_EQ(s.sites[1].title, "Au");
  EXPECT_EQ(s.sites[0].crosstalk, 0.25);
  EXPECT_EQ(s.sites[1].crosstalk, 0);
  Block expected = clean.sites[0].data;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    expected.data()[k] += 0.25f * clean.sites[1].data.data()[k];
  }
  expect_near(s.sites[0].data, expected, 1e-6);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(norm(difference(s.sites[i].data, clean.sites[i].data)), 0);
  }
}

// With and without cross-talk, which is of raw counts.
TEST(Twin, XrfCountsArePoissonWithScale) {
  for (const double share : {0.0, 0.1}) {
    const Simulation clean = twin([](SimulateOptions& o) { o.angles = 40; });
    const Simulation s = twin([&](SimulateOptions& o) {
      o.angles = 40;
      o.xrf_counts = 5000;
      o.defects.crosstalk = share;
    });
    double largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const SimulatedSite& site = s.sites[i];
      double sum = 0;
      double expected_sum = 0;
      double pull = 0;
      double values = 0;
      for (std::size_t k = 0; k < site.data.size(); ++k) {
        double mean = static_cast<double>(clean.sites[i].data.data()[k]) / site.scale;
        if (i == 0) {
          mean += share * static_cast<double>(clean.sites[1].data.data()[k]) / s.sites[1].scale;
        }
        const double value = static_cast<double>(site.data.data()[k]);
        ASSERT_EQ(value, std::floor(value));
        largest = std::max(largest, mean);
        sum += value;
        expected_sum += mean;
        if (mean < 1) continue;
        pull += (value - mean) * (value - mean) / mean;
        values += 1;
      }
      EXPECT_NEAR(sum, expected_sum, 5 * std::sqrt(expected_sum)) << site.name;
      EXPECT_NEAR(pull / values, 1, 5 * std::sqrt(3 / values)) << site.name;
    }
    EXPECT_NEAR(largest, 5000, 0.01);
    EXPECT_NE(s.sites[0].scale, s.sites[1].scale);
    EXPECT_NE(s.sites[1].scale, s.sites[2].scale);
  }
}

TEST(Twin, ScalesDependOnSeed) {
  const auto scale = [](std::uint64_t seed) {
    const Simulation s = twin([&](SimulateOptions& o) {
      o.xrf_counts = 100;
      o.seed = seed;
    });
    return s.sites[0].scale / s.sites[1].scale;
  };
  EXPECT_EQ(scale(1), scale(1));
  EXPECT_NE(scale(1), scale(2));
}

// Without a defect nothing changes: the same calls give the same bits.
TEST(Twin, PlainStudiesStayAsTheyWere) {
  for (const std::string preset : {"paper", "elements", "shapes"}) {
    SimulateOptions o;
    o.preset = preset;
    o.size = 32;
    o.angles = 7;
    o.slices = 3;
    EXPECT_FALSE(o.twin());
    const Simulation s = simulate(o);
    const Phantom phantom = preset == "paper"      ? paper_phantom(32, 3)
                            : preset == "elements" ? elements_phantom(32, 3)
                                                   : shapes_phantom(32, 3);
    const auto projector = make_projector(paper_geometry(32, 7), {"auto", 1, 3});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(norm(difference(s.sites[i].truth, phantom.images[i])), 0) << preset;
      Block y(s.geometry.rays(), 3);
      projector->forward(phantom.images[i], y);
      EXPECT_EQ(norm(difference(s.sites[i].data, y)), 0) << preset;
    }
    EXPECT_EQ(s.other.rows(), 0u);
    EXPECT_TRUE(s.scan.shifts.empty());
  }
}

TEST(Twin, NamesWrongOption) {
  const auto refuse = [](const std::string& option, const Change& change) {
    const std::string text = error_of([&] { twin(change); });
    EXPECT_CONTAINS(text, "simulate: " + option + ": expected ");
    EXPECT_CONTAINS(text, ", found ");
  };
  refuse("size", [](SimulateOptions& o) { o.size = 31; });
  refuse("xrf-counts", [](SimulateOptions& o) { o.xrf_counts = 0.5; });
  refuse("xrf-counts", [](SimulateOptions& o) { o.xrf_counts = 1e9; });
  refuse("xrf-counts", [](SimulateOptions& o) { o.xrf_counts = NAN; });
  refuse("lag", [](SimulateOptions& o) { o.defects.lag = -1; });
  refuse("vertical-jitter", [](SimulateOptions& o) { o.defects.vertical_jitter = 1; });
  refuse("size, angles, slices", [](SimulateOptions& o) {
    o.size = 16384;
    o.slices = 100000;
  });
}

}  // namespace
}  // namespace firm
