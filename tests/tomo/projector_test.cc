// Properties of A that hold whatever the kernel, and the options of projectors.
#include "firm/projector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>

#include "firm/error.h"
#include "projector_support.h"
#include "tomo/siddon.h"

namespace firm::projectors {
namespace {

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
}  // namespace firm::projectors
