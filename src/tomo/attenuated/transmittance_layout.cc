#include "tomo/attenuated/transmittance_layout.h"

#include <algorithm>

namespace firm {
namespace {

constexpr std::size_t kBeyond = kMaxTileWidth + 64;  // elements that kernels may read behind T

bool same(const Orientation& a, const Orientation& b) {
  return a.transposed == b.transposed && a.flip_x == b.flip_x && a.flip_y == b.flip_y;
}

// An odd number of cache lines, so that rows spread over all of the cache.
std::size_t round_up(std::size_t a) {
  constexpr std::size_t kCacheLine = 32;  // elements
  return ((a + kCacheLine - 1) / kCacheLine | 1) * kCacheLine;
}

}  // namespace

TransmittanceLayout::TransmittanceLayout(const Geometry& geometry, std::size_t columns, int grid,
                                         bool wide)
    : geometry_(geometry), columns_(columns), shift_(grid == 4 ? 2 : grid - 1), wide_(wide) {
  const auto blocks = [&](int size) { return (size + grid - 1) / grid; };
  const auto missing = [&](int size) { return blocks(size) * grid - size; };
  const auto add = [&](const Orientation& o) {
    TransmittanceFrame f{};
    f.orientation = o;
    f.width = blocks(o.width);
    f.height = blocks(o.height);
    const bool from_right = o.transposed ? o.up() : o.left();
    const bool from_below = o.transposed ? o.left() : o.up();
    f.x_offset = from_right ? missing(o.width) : 0;
    f.y_offset = from_below ? missing(o.height) : 0;
    f.row_elements = round_up(static_cast<std::size_t>(f.width) * inner());
    f.plane_elements = f.row_elements * static_cast<std::size_t>(f.height);
    view_elements_ = std::max(view_elements_, round_up(planes() * f.plane_elements + kBeyond));
    frames_.push_back(f);
  };
  for (std::size_t k = 0; k < geometry.angles.size(); ++k) {
    Orientation o = angle_orientation(geometry, k);
    if (wide_) o = {false, false, false, geometry.image_columns, geometry.image_rows};
    const auto found = std::find_if(frames_.begin(), frames_.end(),
                                    [&](const auto& f) { return same(f.orientation, o); });
    frame_of_.push_back(static_cast<std::size_t>(found - frames_.begin()));
    if (found == frames_.end()) add(o);
  }
}

}  // namespace firm
