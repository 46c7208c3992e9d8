#include "support/three_discs.h"

#include "firm/projector.h"

namespace firm {

Block image_of(const Disc& disc, const Geometry& g, double value) {
  Block image(g.pixels(), 1);
  const auto columns = static_cast<std::size_t>(g.image_columns);
  for (std::size_t p = 0; p < image.rows(); ++p) {
    const double x = (static_cast<double>(p % columns) + 0.5) / g.image_columns - disc.x;
    const double y = (static_cast<double>(p / columns) + 0.5) / g.image_rows - disc.y;
    if (x * x + y * y < disc.radius * disc.radius) image(p, 0) = static_cast<float>(value);
  }
  return image;
}

Block sinogram_of(const Block& image, const Geometry& g) {
  Block b(g.rays(), 1);
  make_projector(g, {"auto", 1, 1})->forward(image, b);
  return b;
}

void add_to(Block& sum, const Block& more, double factor) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum.data()[k] += static_cast<float>(factor * static_cast<double>(more.data()[k]));
  }
}

}  // namespace firm
