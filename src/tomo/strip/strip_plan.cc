#include "tomo/strip/strip_plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace firm {
namespace {

int round_up(int a, int unit) { return (a + unit - 1) / unit * unit; }

// ---- angles in their frames -------------------------------------------------------------------

// One angle in its frame, where X cos + Y sin = t with cos >= sin >= 0.
struct Placed {
  std::size_t angle = 0;
  int code = 0;  // orientation: 4 transposed + 2 flip_y + flip_x
  double start = 0;
  double slope = 0;
  double pitch = 0;
  double length = 0;
};

Placed place(const Geometry& g, std::size_t angle) {
  auto [c, s] = direction(g.angles[angle]);
  const bool flip_x = c < 0;
  const bool flip_y = s < 0;
  c = std::abs(c);
  s = std::abs(s);
  const bool transposed = s > c;
  if (transposed) std::swap(c, s);
  const double width = transposed ? g.image_rows : g.image_columns;
  const double height = transposed ? g.image_columns : g.image_rows;

  Placed p;
  p.angle = angle;
  p.code = 4 * transposed + 2 * flip_y + flip_x;
  // In the middle of row r, Y = (height/2 - r - 1/2) pixels and X = (t - Y sin) / cos.
  const double t = g.coordinate(angle, 0) / g.pixel_size;
  p.slope = s / c;
  p.start = width / 2 + t / c + (0.5 - height / 2) * p.slope;
  p.pitch = g.spacing / (g.pixel_size * c);
  p.length = g.pixel_size / c;
  return p;
}

Orientation make_orientation(const Geometry& g, int code) {
  Orientation o;
  o.transposed = (code & 4) != 0;
  o.flip_y = (code & 2) != 0;
  o.flip_x = (code & 1) != 0;
  o.width = o.transposed ? g.image_rows : g.image_columns;
  o.height = o.transposed ? g.image_columns : g.image_rows;
  return o;
}

// Whether two angles have the same weights, up to rounding.
bool same_weights(const Placed& a, const Placed& b) {
  constexpr double kTolerance = 1e-9;  // pixels
  return std::abs(a.start - b.start) < kTolerance && std::abs(a.slope - b.slope) < 1e-13 &&
         std::abs(a.pitch - b.pitch) < 1e-13 * a.pitch;
}

// ---- weights ----------------------------------------------------------------------------------

// Fractional bits that leave room for numbers up to `largest` in 31 bits.
int bits_for(double largest) {
  int bits = 30;
  while (std::ldexp(largest, bits) >= 0x1p30) --bits;
  return bits;
}

std::int32_t fixed(double x, int bits) {
  return static_cast<std::int32_t>(std::lround(std::ldexp(x, bits)));
}

RowShare make_row_share(const Family& f) {
  const double units = std::min(std::round(f.tau / kFractionUnit), 1 / kFractionUnit - 1);
  return {static_cast<std::int32_t>(units), static_cast<std::int32_t>(1 / kFractionUnit - units),
          static_cast<float>(f.length / units)};
}

// The conversions to int below are safe because Geometry::validate bounds the pitch: a drift is at
// most 15 sqrt(2) kMostWidthRatio pixels or beamlets.
static_assert(kMaxLanes * 1.5 * kMostWidthRatio < 1 << 24);

ForwardSweep make_forward_sweep(const Family& f, int lanes) {
  // Lane k starts k (pitch - 1) pixels to the right of pixel base + k, plus a fraction below 1.
  const double drift = (lanes - 1) * (f.pitch - 1);
  ForwardSweep s;
  s.first = static_cast<int>(std::floor(std::min(0.0, drift)));
  const int last = static_cast<int>(std::ceil(1 + std::max(0.0, drift) + f.tau)) - 1;
  s.boundaries = last - s.first;
  const int bits = bits_for(std::abs(drift) + s.boundaries + 3);
  s.shift = 31 - bits;
  s.one = fixed(1, bits);
  s.tau = fixed(f.tau, bits);
  for (int k = 0; k < lanes; ++k) {
    s.lane[k] = fixed(k * (f.pitch - 1) + f.tau - s.first - 1, bits);
  }
  s.span = (lanes - 1) * f.pitch + f.tau;
  s.inverse_slope = f.slope < 1e-9 ? 0 : 1 / f.slope;
  return s;
}

AdjointSweep make_adjoint_sweep(const Family& f, int lanes) {
  AdjointSweep s;
  s.density = 1 / f.pitch;
  const double half_width = 0.5 * (1 + f.tau) * s.density;  // of the trapezoid
  // Lane k's trapezoid starts drift_k = k (density - 1) rays to the right of base + k. The base is
  // taken from the lane for which this is least; the first ray of interest is the next one.
  const double drift = (lanes - 1) * (s.density - 1);
  const double least = std::min(0.0, drift);
  s.count = std::max(1, static_cast<int>(std::ceil(std::abs(drift) + 2 * half_width)));
  s.offset = least - half_width;
  const int bits = bits_for(std::abs(drift) + half_width + s.count + 2);
  s.shift = 31 - bits;
  s.one = fixed(1, bits);
  s.peak = fixed(half_width, bits);
  s.ramp = std::max(1, fixed(f.tau * s.density, bits));
  for (int k = 0; k < lanes; ++k) {
    s.lane[k] = fixed(1 - (k * (s.density - 1) - least + half_width), bits);
  }
  return s;
}

}  // namespace

Orientation angle_orientation(const Geometry& geometry, std::size_t angle) {
  return make_orientation(geometry, place(geometry, angle).code);
}

FrameSteps frame_steps(const Geometry& geometry, const Orientation& orientation,
                       std::size_t row_stride, std::size_t stride) {
  const auto row = static_cast<std::ptrdiff_t>(row_stride);
  const auto column = static_cast<std::ptrdiff_t>(stride);
  const std::ptrdiff_t rows = (geometry.image_rows - 1) * row;
  const std::ptrdiff_t columns = (geometry.image_columns - 1) * column;
  const std::ptrdiff_t start = (orientation.up() ? rows : 0) + (orientation.left() ? columns : 0);
  const std::ptrdiff_t down = orientation.up() ? -row : row;
  const std::ptrdiff_t across = orientation.left() ? -column : column;
  return {start, rows + columns - start, orientation.transposed ? down : across,
          orientation.transposed ? across : down};
}

SplitTable make_split_table(int count, double step) {
  SplitTable table;
  for (int k = 0; k < round_up(count, kMaxLanes); ++k) {
    const Split position = split(k * step);
    table.whole.push_back(position.whole);
    table.fraction.push_back(position.fraction);
  }
  return table;
}

StripPlan::StripPlan(const Geometry& geometry, int lanes, int max_members)
    : geometry_(geometry), lanes_(lanes) {
  make_families(max_members);
  make_margins();
  for (Family& f : families_) {
    f.rows = make_split_table(kMaxTileHeight, f.slope);
    f.groups = make_split_table(tile_width_ / lanes, lanes * f.adjoint.density);
  }
}

void StripPlan::make_families(int max_members) {
  std::vector<Placed> placed;
  for (std::size_t k = 0; k < geometry_.angles.size(); ++k) {
    placed.push_back(place(geometry_, k));
  }

  // Orientations in use, numbered in the order of their codes.
  int number[8];
  std::fill(std::begin(number), std::end(number), -1);
  for (int code = 0; code < 8; ++code) {
    const auto used = [code](const Placed& p) { return p.code == code; };
    if (std::none_of(placed.begin(), placed.end(), used)) continue;
    number[code] = static_cast<int>(orientations_.size());
    orientations_.push_back(make_orientation(geometry_, code));
  }

  // Angles with the same weights become neighbours; those in consecutive orientations join.
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    constexpr double kGrain = 1e-10;
    return std::tuple(std::round(a.slope / kGrain), std::round(a.start / 1e-7), a.code) <
           std::tuple(std::round(b.slope / kGrain), std::round(b.start / 1e-7), b.code);
  });
  const bool square = geometry_.image_rows == geometry_.image_columns;
  const auto same_frame = [square](const Placed& a, const Placed& b) {
    return square || (a.code & 4) == (b.code & 4);
  };
  std::vector<std::vector<Placed>> groups;
  for (const Placed& p : placed) {
    const bool joins = !groups.empty() && same_weights(groups.back().front(), p) &&
                       same_frame(groups.back().front(), p) &&
                       number[groups.back().back().code] + 1 == number[p.code] &&
                       static_cast<int>(groups.back().size()) < max_members;
    if (!joins) groups.emplace_back();
    groups.back().push_back(p);
  }

  for (const std::vector<Placed>& members : groups) {
    const Placed& p = members.front();
    Family f;
    f.first_orientation = number[p.code];
    f.members = static_cast<int>(members.size());
    f.start = p.start;
    f.slope = p.slope;
    f.pitch = p.pitch;
    f.length = p.length;
    f.tau = interval_width(p.slope);
    f.share = make_row_share(f);
    f.forward = make_forward_sweep(f, lanes_);
    f.adjoint = make_adjoint_sweep(f, lanes_);
    f.forward_scale = static_cast<float>(f.length / f.forward.tau);
    f.adjoint_scale = static_cast<float>(f.length / f.adjoint.ramp);
    families_.push_back(f);
  }
  // Families that the adjoint kernel can take together become neighbours.
  std::vector<std::size_t> order(groups.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](const Family& f) {
      return std::tuple(f.first_orientation, f.members, f.adjoint.count);
    };
    return key(families_[a]) < key(families_[b]);
  });
  std::vector<Family> sorted;
  for (const std::size_t k : order) {
    sorted.push_back(families_[k]);
    sorted.back().first_view = views_.size();
    for (const Placed& p : groups[k]) views_.push_back(p.angle);
  }
  families_ = std::move(sorted);
}

void StripPlan::make_margins() {
  int pixel_pad = 0;
  for (const Family& f : families_) {
    const int left = static_cast<int>(std::ceil(f.forward.span)) - f.forward.first;
    const int right = lanes_ + f.forward.first + f.forward.boundaries;
    pixel_pad = std::max({pixel_pad, left, right});
    ray_pad_ = std::max(ray_pad_, lanes_ + f.adjoint.count);
  }
  pixel_pad += 2;  // one row and one rounding of slack
  ray_pad_ = round_up(ray_pad_ + 2, kMaxLanes);
  // An odd number of cache lines, for the same reason as kTileStride.
  const int lines = (round_up(geometry_.beamlets, kMaxLanes) + 2 * ray_pad_) / kMaxLanes;
  ray_stride_ = static_cast<std::size_t>((lines | 1) * kMaxLanes);
  const int room = (kTileStride - 2 * pixel_pad) / kMaxLanes * kMaxLanes;
  tile_width_ = std::clamp(room, 0, kMaxTileWidth);
}

std::size_t StripPlan::bytes() const {
  std::size_t sum = views_.size() * sizeof(std::size_t) + families_.size() * sizeof(Family);
  for (const Family& f : families_) {
    sum += (f.rows.whole.size() + f.groups.whole.size()) * 2 * sizeof(std::int32_t);
  }
  return sum;
}

}  // namespace firm
