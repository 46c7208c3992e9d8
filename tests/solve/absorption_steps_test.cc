// Steps of an attenuated matrix: each pixel has its own, so that hidden ones are found as fast as
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/operators.h"
#include "solve/absorption/absorbing_projectors.h"
#include "solve/methods/nnls.h"

namespace firm {
namespace {

constexpr int kSize = 16;

Geometry around(int angles) {
  Geometry g = paper_geometry(kSize, angles, 1e-2);
  for (double& angle : g.angles) angle *= 2;
  return g;
}

// A disc in the middle of the image.
Block disc(double radius, float value, std::size_t columns) {
  Block image(kSize * kSize, columns);
  for (int row = 0; row < kSize; ++row) {
    for (int col = 0; col < kSize; ++col) {
      const double x = col - (kSize - 1) / 2.0;
      const double y = row - (kSize - 1) / 2.0;
      if (x * x + y * y > radius * radius) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        image(static_cast<std::size_t>(row * kSize + col), c) = value;
      }
    }
  }
  return image;
}

class AbsorptionSteps : public ::testing::Test {
 protected:
  // Column c absorbs 1, 2, ... times as much as the first.
  void absorb(std::size_t columns, std::size_t first = 0) {
    TransmittanceOptions options;
    options.columns = static_cast<int>(columns);
    options.threads = 1;
    projectors = std::make_unique<AbsorbingProjectors>(g, FluorescencePath(), options);
    Block mu = disc(7, 20, columns);
    for (std::size_t p = 0; p < mu.rows(); ++p) {
      for (std::size_t c = 0; c < columns; ++c) mu(p, c) *= static_cast<float>(1 + first + c);
    }
    projectors->transmittance().update(mu, mu);
  }
  Block curvature() const { return projectors->curvature(g, {.threads = 1}); }

  const Geometry g = around(12);
  std::unique_ptr<AbsorbingProjectors> projectors;
};

// Power iteration finds the largest eigenvalue of H^-1/2 A^T A H^-1/2, which is at most 1.
TEST_F(AbsorptionSteps, CurvatureBoundsTheMatrix) {
  absorb(1);
  const Block h = curvature();
  const auto projector = projectors->make(g, {.threads = 1});
  Block v(g.pixels(), 1);
  Block rays(g.rays(), 1);
  for (std::size_t p = 0; p < v.rows(); ++p) v(p, 0) = h(p, 0) > 0 ? 1.0f : 0.0f;
  double largest = 0;
  for (int k = 0; k < 200; ++k) {
    for (std::size_t p = 0; p < v.rows(); ++p) {
      if (h(p, 0) > 0) v(p, 0) /= std::sqrt(h(p, 0));
    }
    projector->forward(v, rays);
    projector->adjoint(rays, v);
    double norm = 0;
    for (std::size_t p = 0; p < v.rows(); ++p) {
      if (h(p, 0) > 0) v(p, 0) /= std::sqrt(h(p, 0));
      norm += static_cast<double>(v(p, 0)) * static_cast<double>(v(p, 0));
    }
    largest = std::sqrt(norm);
    for (float& value : v.values()) value = static_cast<float>(value / largest);
  }
  EXPECT_LE(largest, 1.0001);
  EXPECT_GT(largest, 0.7);  // and not far above it
}

TEST_F(AbsorptionSteps, HiddenPixelsHaveASmallCurvature) {
  absorb(1);
  const Block h = curvature();
  const std::size_t middle = kSize / 2 * kSize + kSize / 2;
  const std::size_t edge = kSize / 2 * kSize + 1;
  EXPECT_LT(h(middle, 0), 0.1f * h(edge, 0));
}

// So that the slices of a process give the same bytes as the same slices among others. Kernels for
// fewer than three columns round in another way.
TEST_F(AbsorptionSteps, DependOnTheirOwnSliceOnly) {
  absorb(6);
  const Block together = curvature();
  for (const std::size_t first : {0u, 3u}) {
    absorb(3, first);
    const Block some = curvature();
    for (std::size_t p = 0; p < some.rows(); ++p) {
      for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(some(p, c), together(p, first + c));
    }
  }
}

// Steps of one length for all pixels, that of those which are seen best, leave the middle behind.
TEST_F(AbsorptionSteps, FindHiddenPixelsInFewSteps) {
  absorb(1);
  const Block truth = disc(6, 1, 1);
  Operators operators({{&g, *projectors}}, 1, 1);
  Sinograms b = operators.make_sinograms();
  operators.forward(truth, b);
  const auto error_after = [&](int steps, bool by_pixel) {
    Nnls nnls(g.pixels(), 1, false, 1);
    nnls.add_term(operators, {1.0});
    nnls.target(0) = b;
    if (by_pixel) {
      nnls.set_steps(1.5);
    } else {
      nnls.set_step(0, 1.5 / (2 * operators.lambda_max()[0]));
    }
    for (int k = 0; k < steps; ++k) nnls.step();
    double square = 0;
    for (std::size_t p = 0; p < truth.rows(); ++p) {
      square += std::pow(static_cast<double>(nnls.images()(p, 0) - truth(p, 0)), 2);
    }
    return std::sqrt(square);
  };
  EXPECT_LT(error_after(60, true), 0.6 * error_after(60, false));
}

// A column without absorption among others keeps the step that it has alone.
TEST_F(AbsorptionSteps, LeavePlainMatricesAlone) {
  absorb(1);
  Operators operators({{&g, *projectors}, &g}, 1, 1);
  Operators plain({&g}, 1, 1);
  EXPECT_EQ(operators.curvature(1).size(), 0u);
  EXPECT_EQ(operators.lambda_max()[1], plain.lambda_max()[0]);
  const Block h = curvature();
  EXPECT_EQ(operators.lambda_max()[0], static_cast<double>(std::ranges::max(h.values())));
}

}  // namespace
}  // namespace firm
