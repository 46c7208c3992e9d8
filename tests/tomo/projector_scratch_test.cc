// Memory of projectors, computed without making them, and images that are not square.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "firm/projector.h"
#include "sim/noise.h"
#include "tomo/strip/strip_projector.h"

namespace firm {
namespace {

Geometry geometry_of(int rows, int columns, int angles, int beamlets, double spacing = 1) {
  Geometry g;
  g.image_rows = rows;
  g.image_columns = columns;
  g.pixel_size = 1;
  for (int k = 0; k < angles; ++k) g.angles.push_back(k * 3.14159265358979 / angles);
  g.beamlets = beamlets;
  g.spacing = spacing;
  g.rotation_axis = beamlets / 2.0;
  return g;
}

// From a row to a column, with sides that fill tiles of the kernels, exceed them by one, or crowd
// the cache.
std::vector<Geometry> forty_shapes() {
  std::vector<Geometry> shapes;
  const int sides[] = {1, 2, 63, 64, 65, 256, 257, 300};
  for (const int rows : sides) {
    for (const int columns : {1, 64, 257, 512}) {
      shapes.push_back(geometry_of(rows, columns, 12, std::max({rows, columns, 2})));
    }
  }
  shapes.push_back(geometry_of(2000, 16, 6, 1024));
  shapes.push_back(geometry_of(16, 2000, 6, 1024));
  shapes.push_back(geometry_of(1500, 40, 1, 100));
  shapes.push_back(geometry_of(40, 1500, 7, 100, 8));   // beamlets much wider than pixels
  shapes.push_back(geometry_of(90, 30, 9, 400, 0.25));  // and narrower
  shapes.push_back(geometry_of(30, 90, 9, 400, 0.25));
  shapes.push_back(geometry_of(128, 128, 20, 183));
  shapes.push_back(geometry_of(512, 512, 5, 725));
  return shapes;
}

TEST(ProjectorScratch, EqualsBytesOfProjector) {
  const std::vector<Geometry> shapes = forty_shapes();
  ASSERT_EQ(shapes.size(), 40u);
  for (const std::string& kernel : kernel_names()) {
    if (kernel == "reference") continue;
    for (const Geometry& g : shapes) {
      const ProjectorScratch scratch(g, kernel);
      for (const int columns : {1, 2, 3, 4, 5, 8, 13, 16, 40}) {
        const auto projector = make_projector(g, {kernel, 1, columns});
        EXPECT_EQ(scratch.bytes(static_cast<std::size_t>(columns)), projector->bytes())
            << kernel << " " << g.image_rows << " x " << g.image_columns << ", " << columns;
      }
    }
  }
}

// All frames of an image once lay in one square, of the longer side: 22 GB here.
TEST(ProjectorScratch, StaysNearSizeOfLongImage) {
  for (const bool upright : {true, false}) {
    const Geometry g = geometry_of(upright ? 32768 : 64, upright ? 64 : 32768, 8, 32768);
    const ProjectorScratch scratch(g);
    EXPECT_LT(scratch.bytes(1), std::size_t{600} << 20);
    EXPECT_LT(scratch.bytes(4), std::size_t{1000} << 20);  // without vectors; less with them
  }
}

void expect_near(const Block& a, const Block& b, const std::string& what) {
  double most = 0;
  double scale = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(static_cast<double>(a.data()[k] - b.data()[k])));
    scale = std::max(scale, std::abs(static_cast<double>(b.data()[k])));
  }
  EXPECT_LT(most, 2e-5 * scale) << what;
}

TEST(ProjectorScratch, LongImagesAgreeWithReference) {
  const Geometry shapes[] = {geometry_of(600, 70, 11, 620), geometry_of(70, 600, 11, 620),
                             geometry_of(700, 6, 8, 90), geometry_of(3, 521, 8, 130)};
  for (const std::string& kernel : kernel_names()) {
    if (kernel == "reference") continue;
    for (const Geometry& g : shapes) {
      const std::string what = kernel + " " + std::to_string(g.image_rows);
      Random random(5, 0);
      Block x(g.pixels(), 1);
      Block y(g.rays(), 1);
      for (float& v : x.values()) v = static_cast<float>(random.uniform());
      for (float& v : y.values()) v = static_cast<float>(random.uniform());
      Block ax(g.rays(), 1);
      Block aty(g.pixels(), 1);
      Block expected_ax(g.rays(), 1);
      Block expected_aty(g.pixels(), 1);
      const auto fast = make_projector(g, {kernel, 2, 1});
      const auto slow = make_projector(g, {"reference", 1, 1});
      fast->forward(x, ax);
      slow->forward(x, expected_ax);
      fast->adjoint(y, aty);
      slow->adjoint(y, expected_aty);
      expect_near(ax, expected_ax, what + " forward");
      expect_near(aty, expected_aty, what + " adjoint");
    }
  }
}

}  // namespace
}  // namespace firm
