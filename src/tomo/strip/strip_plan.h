// StripPlan: everything that the strip kernels compute from a geometry, independent of the data.
//
// A ray with |cos| >= |sin| advances by at most one pixel while it passes through an image row, so
// within a row it meets one pixel or two. For the other rays the same holds with rows and columns
// exchanged. So every angle is described in a *frame*, a turned or mirrored copy of the image, in
// which its rays run down the rows. There, with lengths in pixels, ray j passes the middle of row r
// at
//
//     x(j, r) = start + pitch j + slope r,      0 <= slope <= 1,  pitch > 0,
//
// and covers [x - tau/2, x + tau/2], tau = slope. Its length in a pixel is the share of that
// interval which lies in the pixel, times `length` cm: the exact intersection length. (tau is not
// allowed below kMinTau, see interval_width(); this only matters to rays that run along an edge,
// which are then split evenly between the two pixels.)
//
// Mirroring the image maps angle theta to -theta and pi - theta, transposing it maps theta to
// pi/2 - theta, all with the detector unchanged. So in suitable frames up to eight angles of a scan
// have the same weights: they form a *family*, and a weight once computed serves all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firm/geometry.h"

namespace firm {

inline constexpr int kMaxLanes = 16;
inline constexpr double kMinTau = 1.0 / 65536;
// tau of rays parallel to an edge. Positions are in fixed point, which forward and adjoint round in
// different ways: the wider tau, the better the shares of both sides of an edge agree. It is still
// far below what anybody knows of the position of a ray.
inline constexpr double kParallelTau = 1.0 / 1024;

// tau of rays with this slope.
inline double interval_width(double slope) {
  return slope < 1e-9 ? kParallelTau : std::max(slope, kMinTau);
}

// A frame's tiles: up to kMaxTileWidth x kMaxTileHeight pixels that fit into a cache. A row of a
// tile takes kTileStride floats with a margin of at least `pad` on either side. The stride is an
// odd number of cache lines, so that the rows of a tile spread over all sets of the cache.
inline constexpr int kMaxTileWidth = 256;
inline constexpr int kMaxTileHeight = 64;
inline constexpr int kTileStride = 336;

// A symmetry of the square that takes the image to a frame: first mirrored, then transposed, that
// is X and Y exchanged, so that the frame's x runs up the image and its rows from right to left.
struct Orientation {
  bool transposed = false;
  bool flip_x = false;
  bool flip_y = false;
  int width = 0;  // of the frame
  int height = 0;

  // Whether the frame counts image rows from below, image columns from the right.
  bool up() const { return transposed != flip_y; }
  bool left() const { return transposed != flip_x; }
};

// The orientation in which the rays of an angle run down the rows, to the right or straight.
Orientation angle_orientation(const Geometry& geometry, std::size_t angle);

// How to walk through the image as through a frame of it, in floats.
struct FrameSteps {
  std::ptrdiff_t start;     // from the image's first pixel to the frame's
  std::ptrdiff_t opposite;  // to the frame's last pixel
  std::ptrdiff_t dx;
  std::ptrdiff_t dy;
};

// Pixels of the image are `stride` floats apart, its rows `row_stride`.
FrameSteps frame_steps(const Geometry& geometry, const Orientation& orientation,
                       std::size_t row_stride, std::size_t stride);

// A position as whole part and fraction, the latter in units of 2^-31, so that coordinates are as
// exact in a large image as in a small one, and the sum of two fractions carries into the sign bit.
inline constexpr double kFractionUnit = 1.0 / 2147483648.0;

struct Split {
  std::int32_t whole;
  std::int32_t fraction;
};

inline Split split(double x) {
  const double whole = std::floor(x);
  // Not negative, so that this rounds to nearest; lround would be a call in the innermost loops.
  const double units = (x - whole) / kFractionUnit;
  const auto fraction =
      static_cast<std::int64_t>(units + 0.5);  // NOLINT(bugprone-incorrect-roundings)
  const auto carry = static_cast<std::int32_t>(fraction >> 31);
  return {static_cast<std::int32_t>(whole) + carry,
          static_cast<std::int32_t>(fraction & 0x7fffffff)};
}

// How the wide forward kernel shares a row between the two pixels that a ray meets, in units of
// 2^-31 pixel: right = clamp(fraction - threshold, 0, tau), times scale in cm, and left is the
// rest.
struct RowShare {
  std::int32_t tau = 0;
  std::int32_t threshold = 0;  // 1 - tau
  float scale = 0;
};

// Positions k * step, k = 0, 1, ..
struct SplitTable {
  std::vector<std::int32_t> whole;
  std::vector<std::int32_t> fraction;
};

// Weights are computed in fixed point and turned into floats last, so that a ray next to the edge
// of a pixel gets its share right even if it is nearly parallel to the edge. A unit is 2^-bits
// pixels (forward) or beamlets (adjoint), with as many bits as the numbers below leave room for.

// How the forward kernel takes `lanes` neighbouring rays through a row. Lane k reads the pixels
// base + k + first + m, m = 0..boundaries. The part of its interval to the right of the left edge
// of pixel m is clamp(F + lane[k] - (m - 1) one, 0, tau), F being the fraction of the base.
struct ForwardSweep {
  alignas(64) std::int32_t lane[kMaxLanes] = {};
  std::int32_t one = 0;
  std::int32_t tau = 0;
  int shift = 0;  // from units of 2^-31
  int first = 0;
  int boundaries = 0;
  double span = 0;           // width of the pixels that `lanes` rays cover in a row
  double inverse_slope = 0;  // 0 for rays parallel to the frame's columns
};

// How the adjoint kernel collects rays for `lanes` neighbouring pixels of a row. Lane k reads the
// rays base + k + m, m = 0..count-1, with weight clamp(peak - |lane[k] + m one - F|, 0, ramp), the
// trapezoid that is the chord length as a function of the distance from the pixel's centre.
struct AdjointSweep {
  alignas(64) std::int32_t lane[kMaxLanes] = {};
  std::int32_t one = 0;
  std::int32_t peak = 0;
  std::int32_t ramp = 0;
  int shift = 0;
  int count = 0;
  double density = 0;  // rays per pixel, 1 / pitch
  double offset = 0;   // from the centre of lane 0's pixel to the base, in rays
};

SplitTable make_split_table(int count, double step);  // room for whole vectors

// Views with equal weights, one for each of `members` consecutive orientations.
struct Family {
  std::size_t first_view = 0;
  int first_orientation = 0;
  int members = 0;
  double start = 0;
  double slope = 0;
  double pitch = 0;
  double tau = 0;
  double length = 0;        // cm of ray per row
  float forward_scale = 0;  // from a weight of a sweep to cm
  float adjoint_scale = 0;
  RowShare share;
  ForwardSweep forward;
  AdjointSweep adjoint;
  SplitTable rows;    // r * slope for the rows of a tile
  SplitTable groups;  // q * lanes * density for the groups of pixels of a tile's row
};

class StripPlan {
 public:
  // Families have at most `max_members` members.
  StripPlan(const Geometry& geometry, int lanes, int max_members);

  // Whether the windows of the narrow kernels fit into the margin of a tile; not so if beamlets are
  // many times wider than pixels and there are many lanes.
  bool fits() const { return tile_width_ >= kMaxLanes; }

  const Geometry& geometry() const { return geometry_; }
  int lanes() const { return lanes_; }

  const std::vector<Orientation>& orientations() const { return orientations_; }
  // Index into Geometry::angles of each view, family after family.
  const std::vector<std::size_t>& views() const { return views_; }
  const std::vector<Family>& families() const { return families_; }

  // Tiles of the narrow kernels.
  int tile_width() const { return tile_width_; }
  int pad() const { return (kTileStride - tile_width_) / 2; }

  // Rays of one view in scratch memory: margin, beamlets, margin.
  int ray_pad() const { return ray_pad_; }
  std::size_t ray_stride() const { return ray_stride_; }

  std::size_t bytes() const;

 private:
  void make_families(int max_members);
  void make_margins();

  Geometry geometry_;
  int lanes_;
  std::vector<Orientation> orientations_;
  std::vector<std::size_t> views_;
  std::vector<Family> families_;
  int tile_width_ = 0;
  int ray_pad_ = 0;
  std::size_t ray_stride_ = 0;
};

}  // namespace firm
