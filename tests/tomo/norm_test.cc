// lambda_max(A^T A) against the paper's number and against an independent power iteration.
#include "firm/norm.h"

#include <gtest/gtest.h>

#include <cmath>

namespace firm {
namespace {

// Rayleigh quotient after many plain power iterations: a lower bound that converges to lambda_max.
double power_iteration(Projector& p, int iterations) {
  const Geometry& g = p.geometry();
  Block x(g.pixels(), 1), y(g.rays(), 1);
  for (float& v : x.values()) v = 1;
  double lambda = 0;
  for (int k = 0; k < iterations; ++k) {
    double xx = 0;
    for (const float v : x.values()) xx += static_cast<double>(v) * static_cast<double>(v);
    for (float& v : x.values()) v = static_cast<float>(static_cast<double>(v) / std::sqrt(xx));
    p.forward(x, y);
    lambda = 0;
    for (const float v : y.values()) lambda += static_cast<double>(v) * static_cast<double>(v);
    p.adjoint(y, x);
  }
  return lambda;
}

TEST(SpectralNorm, HasThePapersValue) {
  const auto p = make_projector(paper_geometry(250, 25));
  const SpectralNorm s = spectral_norm(*p);
  EXPECT_NEAR(s.lambda_max, 6.04e-5, 0.005e-5);
  EXPECT_LE(s.relative_error, 1e-5);
  EXPECT_LT(s.iterations, 60);
}

TEST(SpectralNorm, AgreesWithPowerIterationWithinItsBound) {
  for (const int n : {8, 33, 64}) {
    const auto p = make_projector(paper_geometry(n, 11), {"auto", 1});
    const SpectralNorm s = spectral_norm(*p);
    const double power = power_iteration(*p, 1000);
    EXPECT_NEAR(s.lambda_max / power, 1, 2 * s.relative_error + 1e-6) << n;
  }
}

TEST(SpectralNorm, StatesAnErrorThatCoversAnEarlyStop) {
  const auto p = make_projector(paper_geometry(64, 20));
  const double exact = spectral_norm(*p, 1e-6).lambda_max;
  const SpectralNorm early = spectral_norm(*p, 1e-2);
  EXPECT_GT(early.relative_error, 1e-6);
  EXPECT_LE(early.lambda_max, exact * (1 + 1e-6));
  EXPECT_GE(early.lambda_max * (1 + early.relative_error), exact * (1 - 1e-6));
}

TEST(SpectralNorm, ScalesWithTheSquareOfTheLength) {
  const auto fine = make_projector(paper_geometry(20, 6, 1e-4));
  const auto coarse = make_projector(paper_geometry(20, 6, 1.0));
  EXPECT_NEAR(spectral_norm(*coarse).lambda_max / spectral_norm(*fine).lambda_max, 1e8, 1e3);
}

TEST(SpectralNorm, IsZeroWhereNoRayMeetsTheImage) {
  Geometry g = paper_geometry(8, 3);
  g.rotation_axis = 1e5;
  const auto p = make_projector(g);
  EXPECT_EQ(spectral_norm(*p).lambda_max, 0);
}

}  // namespace
}  // namespace firm
