// Every fast kernel against the slow reference, and properties of A that hold whatever the kernel.
#include "firm/projector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numbers>
#include <optional>
#include <random>

#include "firm/error.h"
#include "tomo/siddon.h"

namespace firm {
namespace {

constexpr double kPi = std::numbers::pi;

void fill_gaussian(Block& block, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal;
  for (float& v : block.values()) v = normal(engine);
}

double dot(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += static_cast<double>(a.data()[k]) * static_cast<double>(b.data()[k]);
  }
  return sum;
}

double norm(const Block& a) { return std::sqrt(dot(a, a)); }

double relative_difference(const Block& a, const Block& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = static_cast<double>(a.data()[k]) - static_cast<double>(b.data()[k]);
    sum += d * d;
  }
  return std::sqrt(sum) / std::max(norm(b), 1e-300);
}

std::vector<std::string> fast_kernels() {
  std::vector<std::string> names = kernel_names();
  std::erase(names, "reference");
  return names;
}

// ---- geometries -------------------------------------------------------------------------------

Geometry simple(int rows, int columns, int beamlets, std::vector<double> angles) {
  Geometry g;
  g.image_rows = rows;
  g.image_columns = columns;
  g.pixel_size = 0.5;
  g.beamlets = beamlets;
  g.spacing = 0.5;
  g.rotation_axis = beamlets / 2.0;
  g.angles = std::move(angles);
  return g;
}

struct Case {
  std::string name;
  Geometry geometry;
  double tolerance = 1e-6;
};

std::vector<Case> cases() {
  const std::vector<double> eighths{0, kPi / 4, kPi / 2, 3 * kPi / 4};
  std::vector<double> turn;
  for (int k = 0; k < 16; ++k) turn.push_back(2 * kPi * k / 16);
  const std::vector<double> odd{3.0, 0.1, -1.2, 0.77, 5.5, 2.2, 1e-3, kPi / 2 - 1e-4};

  std::vector<Case> all;
  all.push_back({"paper, odd number of angles", paper_geometry(37, 13)});
  all.push_back({"paper, every symmetry", paper_geometry(32, 12)});
  all.push_back({"exact eighths, even size: rays on pixel edges", simple(16, 16, 23, eighths)});
  all.push_back({"exact eighths, odd size", simple(17, 17, 24, eighths)});
  all.push_back({"full turn", simple(20, 20, 30, turn)});
  all.push_back({"pixels beside each other that are mirror images", simple(21, 34, 42, turn)});
  all.push_back(
      {"unsorted angles of any size, two close to an axis", simple(31, 31, 44, odd), 1e-5});
  all.push_back({"wide image", simple(9, 40, 50, half_turn(7))});
  all.push_back({"tall image", simple(300, 7, 310, half_turn(5))});
  all.push_back({"wider than a tile", simple(6, 600, 620, half_turn(4))});
  all.push_back({"larger than a tile both ways", simple(290, 300, 420, half_turn(6))});
  all.push_back({"narrow detector: rays miss much of the image", simple(40, 40, 9, half_turn(8))});
  all.push_back({"wide detector: many rays miss", simple(8, 8, 200, half_turn(6))});
  all.push_back({"one pixel", simple(1, 1, 5, half_turn(5))});
  all.push_back({"one beamlet", simple(12, 12, 1, half_turn(9))});
  all.push_back({"one row", simple(1, 33, 40, half_turn(6))});

  Geometry shifted = paper_geometry(33, 9);
  shifted.rotation_axis += 3.37;
  all.push_back({"shifted centre", shifted});
  shifted.rotation_axis = 1e6;
  all.push_back({"no ray meets the image", shifted});
  Geometry jitter = paper_geometry(33, 8);
  for (int k = 0; k < 8; ++k) jitter.shifts.push_back(0.3 * k - 1.1);
  all.push_back({"a shift for each angle", jitter});
  // At 0 degrees a spacing of 0.9 puts every tenth ray onto an edge.
  for (const double ratio : {0.21, 0.5, 0.9, 1.7, 3.0, 30.0}) {
    Geometry g = simple(29, 29, static_cast<int>(60 / ratio) + 3, half_turn(11));
    g.spacing = ratio * g.pixel_size;
    all.push_back({"spacing " + std::to_string(ratio) + " pixels", g, ratio == 0.9 ? 1e-4 : 2e-6});
  }
  return all;
}

// ---- against the reference --------------------------------------------------------------------

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

// ---- the adjoint identity ---------------------------------------------------------------------

// |<A x, y> - <x, A^T y>| / (||A x|| ||y||) for Gaussian x, y: how far `adjoint` is from the
// transpose of `forward`.
double adjoint_gap(const Geometry& g, const std::function<void(const Block&, Block&)>& forward,
                   const std::function<void(const Block&, Block&)>& adjoint) {
  Block x(g.pixels(), 2), y(g.rays(), 2), ax(g.rays(), 2), aty(g.pixels(), 2);
  fill_gaussian(x, 5);
  fill_gaussian(y, 6);
  forward(x, ax);
  adjoint(y, aty);
  return std::abs(dot(ax, y) - dot(x, aty)) / (norm(ax) * norm(y));
}

TEST(AdjointIdentity, HoldsForEveryKernel) {
  const Geometry g = paper_geometry(64, 30);
  for (const std::string& name : kernel_names()) {
    const auto p = make_projector(g, {name, 2, 2});
    const double gap = adjoint_gap(
        g, [&](const Block& x, Block& y) { p->forward(x, y); },
        [&](const Block& y, Block& x) { p->adjoint(y, x); });
    EXPECT_LE(gap, 1e-7) << name;
  }
}

TEST(AdjointIdentity, CatchesWrongAdjoints) {
  const Geometry g = paper_geometry(64, 30);
  const auto p = make_projector(g, {"auto", 2, 2});
  const auto forward = [&](const Block& x, Block& y) { p->forward(x, y); };
  Geometry other = g;
  other.rotation_axis += 0.05;  // a twentieth of a pixel
  const auto shifted = make_projector(other, {"auto", 2, 2});
  EXPECT_GT(adjoint_gap(g, forward, [&](const Block& y, Block& x) { shifted->adjoint(y, x); }),
            1e-6);
  EXPECT_GT(adjoint_gap(g, forward,
                        [&](const Block& y, Block& x) {
                          p->adjoint(y, x);
                          for (float& v : x.values()) v *= 1.001f;
                        }),
            1e-6);
}

// ---- physics ----------------------------------------------------------------------------------

// Root mean square error of the projections of a disk against its chords 2 sqrt(r^2 - t^2), as a
// part of the largest chord.
double disk_error(int n) {
  const double radius = 0.35;  // of a 1 cm image
  const Geometry g = paper_geometry(n, 8, 1.0 / n);
  Block x(g.pixels(), 1), y(g.rays(), 1);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double u = (j + 0.5) / n - 0.5;
      const double v = 0.5 - (i + 0.5) / n;
      x(static_cast<std::size_t>(i * n + j), 0) = u * u + v * v <= radius * radius ? 1.0f : 0.0f;
    }
  }
  make_projector(g)->forward(x, y);
  double sum = 0;
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    for (int j = 0; j < g.beamlets; ++j) {
      const double t = g.coordinate(k, j);
      const double chord = t * t < radius * radius ? 2 * std::sqrt(radius * radius - t * t) : 0;
      const double d =
          static_cast<double>(
              y(k * static_cast<std::size_t>(g.beamlets) + static_cast<std::size_t>(j), 0)) -
          chord;
      sum += d * d;
    }
  }
  return std::sqrt(sum / static_cast<double>(g.rays())) / (2 * radius);
}

TEST(Disk, ErrorFallsAsPixelsShrink) {
  const double coarse = disk_error(32);
  const double medium = disk_error(64);
  const double fine = disk_error(256);
  EXPECT_LT(medium, 0.75 * coarse);
  EXPECT_LT(fine, 0.5 * medium);
  EXPECT_LT(fine, 0.005);
}

TEST(Paper, MatrixHas1988940Nonzeros) {
  const Geometry g = paper_geometry(250, 25);
  std::size_t count = 0;
  for (std::size_t k = 0; k < g.angles.size(); ++k) {
    for (int j = 0; j < g.beamlets; ++j) {
      trace_ray(g, k, j, [&](std::size_t, double) { ++count; });
    }
  }
  EXPECT_EQ(count, 1988940u);
}

// ---- options ----------------------------------------------------------------------------------

TEST(MakeProjector, NamesUnknownKernelAndAvailableOnes) {
  try {
    make_projector(paper_geometry(8, 2), {"cuda"});
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("cuda"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("strip-scalar"), std::string::npos);
  }
}

// Sets a variable of the environment, and at the end sets it back.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(MakeProjector, TakesTheKernelOfTheEnvironmentInPlaceOfAuto) {
  const Geometry g = paper_geometry(8, 2);
  for (const std::string& name : kernel_names()) {
    const Environment forced("FIRM_KERNEL", name.c_str());
    EXPECT_EQ(make_projector(g)->kernel(), name);
    EXPECT_EQ(make_projector(g, {"strip-scalar"})->kernel(), "strip-scalar");
  }
  const Environment none("FIRM_KERNEL", "");
  EXPECT_EQ(make_projector(g)->kernel(), kernel_names().front());
}

TEST(MakeProjector, RefusesAnUnknownKernelOfTheEnvironment) {
  const Environment forced("FIRM_KERNEL", "cuda");
  try {
    make_projector(paper_geometry(8, 2));
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("FIRM_KERNEL: expected auto or one of strip-"),
              std::string::npos)
        << e.what();
    EXPECT_EQ(e.kind(), usage_error({}).kind());
  }
}

TEST(MakeProjector, RefusesBadOptions) {
  const Geometry g = paper_geometry(8, 2);
  EXPECT_THROW(make_projector(g, {"auto", -1, 1}), Error);
  EXPECT_THROW(make_projector(g, {"auto", 1, 0}), Error);
}

TEST(MakeProjector, RefusesBlocksOfTheWrongSize) {
  const Geometry g = paper_geometry(8, 2);
  const auto p = make_projector(g);
  Block x(g.pixels(), 1), y(g.rays(), 2), small(3, 1);
  EXPECT_THROW(p->forward(x, y), std::logic_error);
  EXPECT_THROW(p->forward(small, y), std::logic_error);
  EXPECT_THROW(p->adjoint(y, x), std::logic_error);
}

TEST(MakeProjector, ListsTheScalarKernelAndTheReferenceLast) {
  const std::vector<std::string> names = kernel_names();
  ASSERT_GE(names.size(), 2u);
  EXPECT_EQ(names.back(), "reference");
  EXPECT_EQ(names[names.size() - 2], "strip-scalar");
}

}  // namespace
}  // namespace firm
