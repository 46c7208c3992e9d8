// The narrow strip kernels: the lanes of a vector are neighbouring rays (forward) or neighbouring
// pixels (adjoint), for up to kNarrowSlots slots that share the weights. Best for few slots.
// Compiled once for each instruction set, after narrow_turn-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace narrow {

// ---- forward ----------------------------------------------------------------------------------

// The rows of a tile in which a group of rays, the first of which starts at x, meets the tile.
HWY_INLINE Range rows_within(const ForwardSweep& s, double x, int width, int height) {
  if (s.inverse_slope == 0) return {0, x < width && x + s.span > 0 ? height : 0};
  const double begin = (-s.span - x) * s.inverse_slope;
  const double end = (width - x) * s.inverse_slope + 1;
  return {static_cast<int>(std::clamp(begin, 0.0, static_cast<double>(height))),
          static_cast<int>(std::clamp(end, 0.0, static_cast<double>(height)))};
}

// One group of rays through the rows of a tile. kBoundaries = 0: a number known only at run time.
//
//   part right of the left edge of pixel m:  G_m = clamp(F + lane - (m - 1) one),  G_0 = tau
//   weight of pixel m:                       w_m = G_m - G_{m+1},  G_{M+1} = 0
//
// Per row: 5 M + 2 vector operations for the weights, and for each slot an addition and M + 1 loads
// with as many multiply-adds; M is 1 to 4 if beamlets are as wide as pixels and there are eight
// lanes.
template <int kBoundaries, int kSlots>
HWY_INLINE void forward_group(const NarrowForwardJob& job, Range rows,
                              const std::int32_t* HWY_RESTRICT base,
                              const std::int32_t* HWY_RESTRICT phase, float* HWY_RESTRICT rays) {
  const D d;
  const DI di;
  const ForwardSweep& sweep = job.family->forward;
  const int boundaries = kBoundaries > 0 ? kBoundaries : sweep.boundaries;
  const std::size_t row_stride = job.row_stride;
  const VI one = hn::Set(di, sweep.one);
  const VI tau = hn::Set(di, sweep.tau);
  const VI lane = hn::Load(di, sweep.lane);
  V sum[kSlots];
  for (int c = 0; c < kSlots; ++c) sum[c] = hn::Zero(d);

  const float* HWY_RESTRICT row = job.pixels + static_cast<std::size_t>(rows.begin) * row_stride;
  for (int r = rows.begin; r < rows.end; ++r, row += row_stride) {
    const float* HWY_RESTRICT p = row + base[r];
    VI z = hn::Add(hn::Set(di, phase[r]), lane);
    VI part = clamp_to(z, tau);
    V w = hn::ConvertTo(d, hn::Sub(tau, part));
    // The row's own sum first: only one addition then waits for the row before.
    V row_sum[kSlots];
    for (int c = 0; c < kSlots; ++c) row_sum[c] = hn::Mul(w, hn::LoadU(d, p + c * kTileStride));
    for (int m = 1; m < boundaries; ++m) {
      z = hn::Sub(z, one);
      const VI next = clamp_to(z, tau);
      w = hn::ConvertTo(d, hn::Sub(part, next));
      part = next;
      for (int c = 0; c < kSlots; ++c) {
        row_sum[c] = hn::MulAdd(w, hn::LoadU(d, p + m + c * kTileStride), row_sum[c]);
      }
    }
    w = hn::ConvertTo(d, part);
    for (int c = 0; c < kSlots; ++c) {
      const V last = hn::LoadU(d, p + boundaries + c * kTileStride);
      sum[c] = hn::Add(sum[c], hn::MulAdd(w, last, row_sum[c]));
    }
  }
  const std::size_t ray_stride = job.plan->ray_stride();
  for (int c = 0; c < kSlots; ++c) {
    float* out = rays + static_cast<std::size_t>(c) * ray_stride;
    hn::StoreU(hn::Add(hn::LoadU(d, out), sum[c]), d, out);
  }
}

template <int kBoundaries, int kSlots>
void forward_tile(const NarrowForwardJob& job) {
  const StripPlan& plan = *job.plan;
  const Family& f = *job.family;
  const int lanes = lane_count();
  const int width = job.tile.width;
  HWY_ALIGN std::int32_t base[kMaxTileHeight];
  HWY_ALIGN std::int32_t phase[kMaxTileHeight];

  // Left end of ray 0 in the tile's row 0, from the tile's left edge.
  const double origin = f.start - 0.5 * f.tau + f.slope * job.tile.y0 - job.tile.x0;
  const double first = (-f.tau - origin - f.slope * (job.tile.height - 1)) / f.pitch;
  const double last = (width - origin) / f.pitch;
  const double beamlets = plan.geometry().beamlets;
  const int begin = static_cast<int>(std::clamp(first, 0.0, beamlets)) / lanes * lanes;
  const int end = static_cast<int>(std::clamp(last + 1, 0.0, beamlets));

  for (int ray = begin; ray < end; ray += lanes) {
    const double x = origin + f.pitch * ray;
    const Range rows = rows_within(f.forward, x, width, job.tile.height);
    if (rows.begin >= rows.end) continue;
    add_positions(f.rows, rows.begin / lanes * lanes, rows.end, x, plan.pad() + f.forward.first,
                  Limits{}, f.forward.shift, base, phase);
    forward_group<kBoundaries, kSlots>(job, rows, base, phase, job.rays + ray);
  }
}

// ---- adjoint ----------------------------------------------------------------------------------

// T of a vector of pixels, from units of 2^-15.
HWY_INLINE V transmittance_at(const std::uint16_t* t) {
  const hn::Rebind<std::uint16_t, D> dt;
  const V units = hn::ConvertTo(D(), hn::PromoteTo(DI(), hn::LoadU(dt, t)));
  return hn::Mul(units, hn::Set(D(), 1.0f / kFullTransmittance));
}

// Positions of all groups of pixels of a row, family after family.
struct Positions {
  const std::int32_t* base;
  const std::int32_t* phase;
};

// kGroups groups of pixels of a row, from the first one on: the sum over families and rays of
// weight times ray.
//
//   weight of ray m:  w_m = clamp(peak - |lane + m one - F|, 0, ramp)
//
// Per family and group: 6 vector operations for each weight, and for each slot one load with a
// fused multiply-add; there are 1 to 4 weights if beamlets are as wide as pixels and there are
// eight lanes.
template <bool kAttenuated, int kCount, int kSlots, int kGroups>
HWY_INLINE void adjoint_groups(const NarrowAdjointJob& job, Positions positions, int first,
                               float* HWY_RESTRICT pixels) {
  const D d;
  const DI di;
  const int lanes = lane_count();
  const int groups = job.tile.width / lanes;
  const int count = kCount > 0 ? kCount : job.family->adjoint.count;
  const auto ray_stride = static_cast<std::ptrdiff_t>(job.plan->ray_stride());
  float* HWY_RESTRICT x = pixels + first * lanes;
  V sum[kGroups][kSlots];
  for (int q = 0; q < kGroups; ++q) {
    for (int c = 0; c < kSlots; ++c) {
      sum[q][c] = job.adds ? hn::LoadU(d, x + q * lanes + c * kTileStride) : hn::Zero(d);
    }
  }
  const float* HWY_RESTRICT rays = job.rays;
  for (int f = 0; f < job.families; ++f, rays += job.family_stride) {
    const AdjointSweep& sweep = job.family[f].adjoint;
    const VI peak = hn::Set(di, sweep.peak);
    const VI ramp = hn::Set(di, sweep.ramp);
    const VI one = hn::Set(di, sweep.one);
    const VI lane = hn::Load(di, sweep.lane);
#pragma GCC unroll 4
    for (int q = 0; q < kGroups; ++q) {
      const int at = f * groups + first + q;
      const float* HWY_RESTRICT y = rays + positions.base[at];
      VI distance = hn::Sub(lane, hn::Set(di, positions.phase[at]));
      const V w0 = hn::ConvertTo(d, clamp_to(hn::Sub(peak, hn::Abs(distance)), ramp));
      V family_sum[kSlots];
      for (int c = 0; c < kSlots; ++c)
        family_sum[c] = hn::Mul(w0, hn::LoadU(d, y + c * ray_stride));
      for (int m = 1; m < count; ++m) {
        distance = hn::Add(distance, one);
        const V w = hn::ConvertTo(d, clamp_to(hn::Sub(peak, hn::Abs(distance)), ramp));
        for (int c = 0; c < kSlots; ++c) {
          family_sum[c] = hn::MulAdd(w, hn::LoadU(d, y + m + c * ray_stride), family_sum[c]);
        }
      }
      for (int c = 0; c < kSlots; ++c) {
        if constexpr (kAttenuated) {
          const std::uint16_t* t = job.transmittance[f * kSlots + c] + (first + q) * lanes;
          hwy::Prefetch(t + job.transmittance_ahead);  // it comes from main memory
          sum[q][c] = hn::MulAdd(transmittance_at(t), family_sum[c], sum[q][c]);
        } else {
          sum[q][c] = hn::Add(sum[q][c], family_sum[c]);
        }
      }
    }
  }
  for (int q = 0; q < kGroups; ++q) {
    for (int c = 0; c < kSlots; ++c) hn::StoreU(sum[q][c], d, x + q * lanes + c * kTileStride);
  }
}

// One row of a tile.
template <bool kAttenuated, int kCount, int kSlots>
HWY_INLINE void adjoint_row(const NarrowAdjointJob& job, Positions positions,
                            float* HWY_RESTRICT pixels) {
  constexpr int kTogether = kSlots <= 2 ? 4 : 2;  // as many as there are registers for
  const int groups = job.tile.width / lane_count();
  int q = 0;
  for (; q + kTogether <= groups; q += kTogether) {
    adjoint_groups<kAttenuated, kCount, kSlots, kTogether>(job, positions, q, pixels);
  }
  for (; q < groups; ++q) adjoint_groups<kAttenuated, kCount, kSlots, 1>(job, positions, q, pixels);
}

template <bool kAttenuated, int kCount, int kSlots>
void adjoint_tile(const NarrowAdjointJob& job) {
  const StripPlan& plan = *job.plan;
  const int groups = job.tile.width / lane_count();
  const Limits limits{-plan.ray_pad(), plan.geometry().beamlets};
  HWY_ALIGN std::int32_t base[kNarrowBatch * kMaxTileWidth + kMaxLanes];
  HWY_ALIGN std::int32_t phase[kNarrowBatch * kMaxTileWidth + kMaxLanes];
  constexpr double kFar = 1e9;  // beyond any detector, within 32 bits

  for (int r = 0; r < job.tile.height; ++r) {
    for (int k = 0; k < job.families; ++k) {
      const Family& f = job.family[k];
      // Ray coordinate of the centre of the row's first pixel.
      const double centre =
          (job.tile.x0 + 0.5 - f.start - f.slope * (job.tile.y0 + r)) * f.adjoint.density;
      const double x = std::clamp(centre + f.adjoint.offset, -kFar, kFar);
      add_positions(f.groups, 0, groups, x, 1, limits, f.adjoint.shift, base + k * groups,
                    phase + k * groups);
    }
    adjoint_row<kAttenuated, kCount, kSlots>(
        job, {base, phase}, job.pixels + static_cast<std::size_t>(r) * job.row_stride + plan.pad());
  }
}

// ---- from run-time widths to compiled ones ----------------------------------------------------

template <int kSlots>
void forward_slots(const NarrowForwardJob& job) {
  switch (job.family->forward.boundaries) {
    case 1:
      return forward_tile<1, kSlots>(job);
    case 2:
      return forward_tile<2, kSlots>(job);
    case 3:
      return forward_tile<3, kSlots>(job);
    case 4:
      return forward_tile<4, kSlots>(job);
    default:
      return forward_tile<0, kSlots>(job);
  }
}

template <bool kAttenuated, int kSlots>
void adjoint_slots(const NarrowAdjointJob& job) {
  switch (job.family->adjoint.count) {
    case 1:
      return adjoint_tile<kAttenuated, 1, kSlots>(job);
    case 2:
      return adjoint_tile<kAttenuated, 2, kSlots>(job);
    case 3:
      return adjoint_tile<kAttenuated, 3, kSlots>(job);
    case 4:
      return adjoint_tile<kAttenuated, 4, kSlots>(job);
    default:
      return adjoint_tile<kAttenuated, 0, kSlots>(job);
  }
}

inline void forward(const NarrowForwardJob& job) {
  switch (job.slots) {
    case 1:
      return forward_slots<1>(job);
    case 2:
      return forward_slots<2>(job);
    case 3:
      return forward_slots<3>(job);
    default:
      return forward_slots<4>(job);
  }
}

template <bool kAttenuated>
void adjoint_any(const NarrowAdjointJob& job) {
  switch (job.slots) {
    case 1:
      return adjoint_slots<kAttenuated, 1>(job);
    case 2:
      return adjoint_slots<kAttenuated, 2>(job);
    case 3:
      return adjoint_slots<kAttenuated, 3>(job);
    default:
      return adjoint_slots<kAttenuated, 4>(job);
  }
}

inline void adjoint(const NarrowAdjointJob& job) {
  if (job.transmittance != nullptr) return adjoint_any<true>(job);
  return adjoint_any<false>(job);
}

inline NarrowFunctions functions() { return {lane_count(), &forward, &adjoint, &turn, &gather}; }

}  // namespace narrow
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
