// The attenuated projector against the reference, the plain projector, and an analytic disc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attenuated_support.h"
#include "firm/error.h"

namespace firm::attenuated {
namespace {

std::unique_ptr<Projector> make(const Transmittance& t, int threads = 2) {
  return make_attenuated_projector(t, {"auto", threads, 1});
}

struct Case {
  std::string name;
  Geometry geometry;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"half a turn, centred", scan(24, 24, half_turn(12))});
  all.push_back({"full turn, odd size, not square", scan(21, 34, full_turn(40))});
  all.push_back({"a single column of pixels", scan(17, 1, full_turn(8, 0.1))});
  Geometry off = scan(33, 27, full_turn(9, 0.2));
  off.rotation_axis += 2.3;
  all.push_back({"axis not in the middle", off});
  for (int k = 0; k < 9; ++k) off.shifts.push_back(0.4 * k - 1.2);
  all.push_back({"a shift for each angle", off});
  Geometry narrow = scan(20, 20, full_turn(5, 0.4));
  narrow.spacing *= 0.3;
  all.push_back({"beamlets narrower than pixels", narrow});
  all.push_back({"larger than a tile", scan(270, 40, full_turn(3, 0.6))});
  return all;
}

// With the same T, so that only rounding differs. <A x, y> = <x, A^T y>, too.
TEST(AttenuatedProjector, AgreesWithTheReferenceForAnyColumns) {
  for (const Case& c : cases()) {
    for (const std::size_t n : {1, 2, 3, 4, 7, 16, 17}) {
      SCOPED_TRACE(c.name + ", columns " + std::to_string(n));
      if (c.geometry.image_rows > 200 && n > 3) continue;
      const Geometry& g = c.geometry;
      const Block incident = smooth_image(g, n, 1, 1.0);
      const Block line = smooth_image(g, n, 2, 1.0);
      Transmittance t(g, {}, options(n));
      t.update(incident, line);
      ReferenceAttenuatedProjector slow(t);
      const auto fast = make(t);
      const Block x = random_block(g.pixels(), n, 3, 0, 1);
      const Block y = random_block(g.rays(), n, 4, -1, 1);
      Block y_fast(g.rays(), n), y_slow(g.rays(), n), x_fast(g.pixels(), n), x_slow(g.pixels(), n);
      fast->forward(x, y_fast);
      slow.forward(x, y_slow);
      fast->adjoint(y, x_fast);
      slow.adjoint(y, x_slow);
      EXPECT_LE(relative_difference(y_fast, y_slow), 2e-6);
      EXPECT_LE(relative_difference(x_fast, x_slow), 2e-6);
      EXPECT_NEAR(dot(y_fast, y), dot(x, x_fast),
                  2e-6 * std::sqrt(dot(y_fast, y_fast) * dot(y, y)));
    }
  }
}

TEST(AttenuatedProjector, AgreesWithExactRayTracing) {
  const Geometry g = scan(31, 31, full_turn(16, 0.1));
  const Block incident = smooth_image(g, 1, 5, 1.0);
  const Block line = smooth_image(g, 1, 6, 2.0);
  Transmittance t(g, {}, options(1));
  t.update(incident, line);
  const Block x = random_block(g.pixels(), 1, 7, 0, 1);
  Block found(g.rays(), 1), expected(g.rays(), 1);
  make(t)->forward(x, found);
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    Geometry one = g;
    one.angles = {g.angles[k]};
    Block product = reference_transmittance(g, {}, incident, line, k);
    for (std::size_t p = 0; p < product.size(); ++p) product.data()[p] *= x.data()[p];
    Block rays(one.rays(), 1);
    make_projector(one, {"reference"})->forward(product, rays);
    std::copy_n(rays.data(), rays.size(), expected.data() + k * rays.size());
  }
  EXPECT_LE(relative_difference(found, expected), 1e-3);
}

TEST(AttenuatedProjector, WithoutAttenuationHasTheBytesOfThePlainOne) {
  for (const Case& c : cases()) {
    for (const std::size_t n : {1, 2, 3, 4, 8, 13, 16, 17, 32}) {
      SCOPED_TRACE(c.name + ", columns " + std::to_string(n));
      const Geometry& g = c.geometry;
      if (g.image_rows > 200 && n > 3) continue;
      for (const int grid : {1, 4}) {
        TransmittanceOptions o = options(n);
        o.grid = grid;
        Transmittance t(g, {}, o);
        t.update(Block(g.pixels(), n), Block(g.pixels(), n));
        const auto attenuated = make(t);
        const auto plain = make_projector(g, {"auto", 2, static_cast<int>(n)});
        const Block x = random_block(g.pixels(), n, 1, -1, 1);
        const Block y = random_block(g.rays(), n, 2, -1, 1);
        Block ya(g.rays(), n), yp(g.rays(), n), xa(g.pixels(), n), xp(g.pixels(), n);
        attenuated->forward(x, ya);
        plain->forward(x, yp);
        attenuated->adjoint(y, xa);
        plain->adjoint(y, xp);
        EXPECT_TRUE(same_bytes(ya, yp));
        EXPECT_TRUE(same_bytes(xa, xp));
      }
    }
  }
}

struct Products {
  Block forward;
  Block adjoint;
};

Products products(const Geometry& g, std::size_t n, const TransmittanceOptions& o, int threads) {
  Transmittance t(g, {1, {{0.1, 0.5}, {-0.1, 0.5}}}, o);
  t.update(smooth_image(g, n, 1, 1.0), blocky_image(g, n, 2, 1.0, 5));
  const auto p = make(t, threads);
  Products out{Block(g.rays(), n), Block(g.pixels(), n)};
  p->forward(random_block(g.pixels(), n, 3, 0, 1), out.forward);
  p->adjoint(random_block(g.rays(), n, 4, 0, 1), out.adjoint);
  return out;
}

TEST(AttenuatedProjector, HasTheSameBytesForAnyThreadsAndLimit) {
  const Geometry g = scan(30, 26, full_turn(80, 0.01));
  for (const std::size_t n : {1, 3, 16, 17}) {
    for (const int grid : {1, 2}) {
      SCOPED_TRACE(std::to_string(n) + " columns, grid " + std::to_string(grid));
      TransmittanceOptions o = options(n, 1);
      o.grid = grid;
      const Products expected = products(g, n, o, 1);
      for (const int threads : {2, 3}) {
        o.threads = threads;
        const Products found = products(g, n, o, threads);
        EXPECT_TRUE(same_bytes(found.forward, expected.forward));
        EXPECT_TRUE(same_bytes(found.adjoint, expected.adjoint));
      }
      // Half of the angles, or as few as there may be.
      const std::size_t all =
          g.angles.size() * TransmittanceLayout(g, n, grid, true).view_elements() * 2;
      o.max_bytes = all / 2;
      const Products found = products(g, n, o, 2);
      EXPECT_TRUE(same_bytes(found.forward, expected.forward));
      EXPECT_TRUE(same_bytes(found.adjoint, expected.adjoint));
    }
  }
}

TEST(AttenuatedProjector, BytesOfAColumnDoNotDependOnItsNeighbours) {
  const Geometry g = scan(22, 19, full_turn(11));
  const std::size_t most = 19;
  const Block incident = smooth_image(g, most, 1, 1.0), line = smooth_image(g, most, 2, 1.0);
  const Block x = random_block(g.pixels(), most, 3, 0, 1);
  const auto first = [](const Block& b, std::size_t n) {
    Block out(b.rows(), n);
    for (std::size_t r = 0; r < b.rows(); ++r)
      std::copy_n(&b.data()[r * b.columns()], n, &out(r, 0));
    return out;
  };
  const auto project = [&](std::size_t n) {
    Transmittance t(g, {}, options(n));
    t.update(first(incident, n), first(line, n));
    Block y(g.rays(), n), back(g.pixels(), n);
    const auto p = make(t);
    p->forward(first(x, n), y);
    p->adjoint(y, back);
    return back;
  };
  const Block all = project(most);
  for (const std::size_t n : {3, 4, 5, 8, 16}) EXPECT_TRUE(same_bytes(project(n), first(all, n)));
}

// X -> -X takes the direction (cos, sin) of an angle to the opposite of that of -angle, and
// (-sin, cos) to itself: the detector is on the other side, and beamlets run the other way.
TEST(AttenuatedProjector, MirroredImageWithOtherSideGivesMirroredSinogram) {
  const Geometry g = scan(20, 25, full_turn(12, 0.07));
  Geometry mirrored = g;
  for (double& a : mirrored.angles) a = -a;
  const auto mirror = [&](const Block& b) {
    Block out(b.rows(), 1);
    for (int i = 0; i < 20; ++i)
      std::reverse_copy(b.data() + i * 25, b.data() + (i + 1) * 25, out.data() + i * 25);
    return out;
  };
  const Block incident = blocky_image(g, 1, 1, 1.0, 6), line = blocky_image(g, 1, 2, 2.0, 7);
  const Block x = random_block(g.pixels(), 1, 3, 0, 1);
  Transmittance a(g, {1, {{0.2, 1}}}, options(1));
  a.update(incident, line);
  Transmittance b(mirrored, {1, {{kPi - 0.2, 1}}}, options(1));
  b.update(mirror(incident), mirror(line));
  Block ya(g.rays(), 1), yb(g.rays(), 1);
  make(a)->forward(x, ya);
  make(b)->forward(mirror(x), yb);
  const auto beamlets = static_cast<std::size_t>(g.beamlets);
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    std::reverse(yb.data() + k * beamlets, yb.data() + (k + 1) * beamlets);
  }
  EXPECT_LE(relative_difference(yb, ya), 1e-4);
}

// A disc of radius R, attenuation mu0 and mu1, fluorescence 1. At 0 degrees the beam goes up along
// X = t and the detector is on the right: from (t, s) the way in is s + sqrt(R^2 - t^2), the way
// out sqrt(R^2 - s^2) - t. The integral over s is taken with 20000 steps.
double disc_ray(double radius, double mu0, double mu1, double t) {
  if (std::abs(t) >= radius) return 0;
  const double half = std::sqrt(radius * radius - t * t);
  constexpr int kSteps = 20000;
  double sum = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double s = -half + (k + 0.5) * 2 * half / kSteps;
    const double out = std::sqrt(radius * radius - s * s) - t;
    sum += std::exp(-mu0 * (s + half) - mu1 * out);
  }
  return sum * 2 * half / kSteps;
}

// Share of each pixel that lies in the disc, by 8 x 8 points.
Block disc_image(const Geometry& g, double radius) {
  Block b(g.pixels(), 1);
  std::size_t pixel = 0;
  for (int i = 0; i < g.image_rows; ++i) {
    for (int j = 0; j < g.image_columns; ++j, ++pixel) {
      int inside = 0;
      for (int k = 0; k < 64; ++k) {
        const double x = (j + (k % 8 + 0.5) / 8 - g.image_columns / 2.0) * g.pixel_size;
        const double y = (i + (k / 8 + 0.5) / 8 - g.image_rows / 2.0) * g.pixel_size;
        inside += std::hypot(x, y) <= radius ? 1 : 0;
      }
      b(pixel, 0) = static_cast<float>(inside) / 64;
    }
  }
  return b;
}

// The root mean square error over the largest value of the analytic projection.
double disc_error(int side) {
  const double radius = 0.45, mu0 = 1.5, mu1 = 2.5;  // of an image of 1 cm
  Geometry g = scan(side, side, {0.1, 0.9, 1.7, 2.9, 4.0, 5.6});
  g.pixel_size = g.spacing = 1.0 / side;
  const Block disc = disc_image(g, radius);
  Block incident = disc, line = disc;
  for (float& v : incident.values()) v *= static_cast<float>(mu0);
  for (float& v : line.values()) v *= static_cast<float>(mu1);
  Transmittance t(g, {}, options(1));
  t.update(incident, line);
  Block y(g.rays(), 1);
  make(t)->forward(disc, y);
  double largest = 0, sum = 0;
  for (int j = 0; j < g.beamlets; ++j) {
    const double expected = disc_ray(radius, mu0, mu1, g.coordinate(0, j));
    largest = std::max(largest, expected);
    for (std::size_t k = 0; k < g.angles.size(); ++k) {
      const double found =
          y(k * static_cast<std::size_t>(g.beamlets) + static_cast<std::size_t>(j), 0);
      sum += (found - expected) * (found - expected);
    }
  }
  return std::sqrt(sum / static_cast<double>(g.rays())) / largest;
}

TEST(AttenuatedProjector, AgreesWithTheAnalyticProjectionOfADisc) {
  if (choose_kernel("auto") == nullptr) GTEST_SKIP() << "takes long with the reference";
  const double coarse = disc_error(128);
  const double fine = disc_error(512);
  EXPECT_LE(fine, 1e-3);  // pixels of 1/460 of the diameter
  EXPECT_LE(fine, coarse / 3);
}

TEST(AttenuatedProjector, FollowsUpdatesAndChecksItsOptions) {
  const Geometry g = scan(15, 15, full_turn(6));
  Transmittance t(g, {}, options(3));
  const auto p = make(t);
  const Block x = random_block(g.pixels(), 3, 1, 0, 1);
  Block before(g.rays(), 3), after(g.rays(), 3);
  p->forward(x, before);
  t.update(smooth_image(g, 3, 1, 1.0), smooth_image(g, 3, 2, 1.0));
  p->forward(x, after);
  EXPECT_GT(relative_difference(after, before), 0.1);
  EXPECT_EQ(p->kernel(), t.kernel());
  EXPECT_GT(p->bytes(), 0u);
  EXPECT_THROW(make_attenuated_projector(t, {"strip-none"}), Error);
  Block two(g.pixels(), 2), rays(g.rays(), 2);
  EXPECT_THROW(p->forward(two, rays), std::logic_error);
}

}  // namespace
}  // namespace firm::attenuated
