// WidePlan: everything that the wide and paired kernels compute from a geometry. They read and
// write Blocks in place.
//
// forward:  the families of a StripPlan. A mirrored or transposed frame is only a different way to
//           step through the Block, so members of a family cost no copy of the image.
// adjoint:  image pixels in their own order, whatever the angle. The detector coordinate of pixel
//           (i, j), in beamlets, is linear in i and j, and the weight of a ray is a trapezoid in
//           the distance from it, as wide as the pixel's shadow. theta and pi - theta, mirror
//           images of each other, share their weights: a *pair*.
#pragma once

#include <cstddef>
#include <vector>

#include "firm/geometry.h"
#include "tomo/strip/strip_plan.h"

namespace firm {

inline constexpr int kWideMembers = 4;  // of a family, at most
inline constexpr int kWideChunk = 64;   // pixels of a row whose weights are computed together

struct AdjointPair {
  int members = 1;            // 1, or 2 with a mirrored angle
  std::size_t angle[2] = {};  // index into Geometry::angles
  double origin = 0;          // lower end of the trapezoid of pixel (0, 0)
  double down = 0;
  double across = 0;
  // Weights, in fixed point with 30 fractional bits, of the first ray beyond that end and the next,
  // f being the fraction of the end's position:
  //   first:   clamp(min(1 - f, f + fall_first), 0, ramp)     second:  clamp(f - fall_second, 0,
  //   ramp)
  std::int32_t fall_first = 0;
  std::int32_t fall_second = 0;
  std::int32_t ramp = 0;
  float scale = 0;    // from a weight to cm
  SplitTable pixels;  // k * across, k < kWideChunk
};

class WidePlan {
 public:
  WidePlan(const Geometry& geometry, int lanes);

  // Whether the wide kernels can do this geometry: at least two pixels either way and two
  // beamlets, and at most two rays that reach a pixel (beamlets not much narrower than pixels).
  bool fits() const;

  const Geometry& geometry() const { return strips_.geometry(); }
  const StripPlan& strips() const { return strips_; }
  const std::vector<AdjointPair>& pairs() const { return pairs_; }  // those of 2 members first
  // Pairs from the k-th on, at most `most`, that have as many members.
  int batch(std::size_t k, int most) const;
  // Whether the rotation axis is in the middle of the detector, at every angle: the rays of a view
  // come in pairs j and beamlets - 1 - j that are half a turn apart.
  bool centred() const { return centred_; }
  std::size_t bytes() const;

 private:
  bool centred_;
  StripPlan strips_;
  std::vector<AdjointPair> pairs_;
};

}  // namespace firm
