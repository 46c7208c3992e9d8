// The wide strip kernels: the lanes of a vector are columns of a Block, one ray or one pixel at a
// time. Compiled once for each instruction set, after strip_kernel_common-inl.h.
//
// A ray meets at most two pixels of a row, so per row there are two weights, and for each vector of
// columns two loads with fused multiply-adds. The weights are computed for many rows (or pixels) at
// once, as vectors, into small tables that stay in the first-level cache.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace wide {

// out += even + odd. There are two sums for each vector because a multiply-add must wait for the
// one before it; they are local arrays, not structures, so that compilers keep them in registers.
template <class DC, int kVectors>
HWY_INLINE void add_to(float* HWY_RESTRICT out, const hn::Vec<DC> (&even)[kVectors],
                       const hn::Vec<DC> (&odd)[kVectors]) {
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int v = 0; v < kVectors; ++v) {
    const auto old = hn::LoadU(d, out + v * lanes);
    hn::StoreU(hn::Add(old, hn::Add(even[v], odd[v])), d, out + v * lanes);
  }
}

// ---- forward ----------------------------------------------------------------------------------

struct RowWeights {
  HWY_ALIGN std::int32_t base[kWideTileHeight + kMaxLanes];
  HWY_ALIGN float left[kWideTileHeight + kMaxLanes];
  HWY_ALIGN float right[kWideTileHeight + kMaxLanes];
};

// First row, counted from the tile's top, in which a ray that starts at x there is not left of
// `edge`. Neighbouring tiles ask for the same edge and so get complementary rows.
HWY_INLINE int row_at(const Family& f, double x, double edge, int height) {
  if (f.forward.inverse_slope == 0) return x < edge ? height : 0;
  const double row = std::ceil((edge - x) * f.forward.inverse_slope);
  return static_cast<int>(std::clamp(row, 0.0, static_cast<double>(height)));
}

// For each row, the pixels base and base + 1 of the frame and their weights:
//   right = clamp(fraction + tau - 1, 0, tau) / tau,  left = 1 - right,  times the length in a row
// (RowShare).
// At the frame's edges, where one of the two pixels is missing, its neighbour takes its place.
HWY_INLINE void row_weights(const Family& f, Range rows, double x, int last_base, RowWeights& out) {
  const D d;
  const DI di;
  const Split at = split(x);
  const VI whole = hn::Set(di, at.whole);
  const VI fraction = hn::Set(di, at.fraction);
  const VI tau = hn::Set(di, f.share.tau);
  const VI threshold = hn::Set(di, f.share.threshold);
  const V scale = hn::Set(d, f.share.scale);
  const V length = hn::Set(d, static_cast<float>(f.length));
  const VI last = hn::Set(di, last_base);
  for (int r = rows.begin / lane_count() * lane_count(); r < rows.end; r += lane_count()) {
    const Position p = add_position(f.rows, r, whole, fraction);
    const VI part = clamp_to(hn::Sub(p.fraction, threshold), tau);
    const V right = hn::Mul(scale, hn::ConvertTo(d, part));
    const V left = hn::Sub(length, right);
    const auto before = hn::RebindMask(d, hn::Lt(p.whole, hn::Zero(di)));
    const auto after = hn::RebindMask(d, hn::Gt(p.whole, last));
    hn::StoreU(clamp_to(p.whole, last), di, out.base + r);
    hn::StoreU(hn::IfThenElse(before, right, hn::IfThenZeroElse(after, left)), d, out.left + r);
    hn::StoreU(hn::IfThenElse(after, left, hn::IfThenZeroElse(before, right)), d, out.right + r);
  }
}

// The way of the members of a family through the image, in floats.
template <int kMembers>
struct Steps {
  const float* start[kMembers];  // pixel (0, 0) of the frame
  std::ptrdiff_t dx[kMembers];
  std::ptrdiff_t dy[kMembers];

  void set(int m, const WideForwardJob& job, const Geometry& g, const Orientation& o) {
    auto row = static_cast<std::ptrdiff_t>(job.x_row_stride);
    auto column = static_cast<std::ptrdiff_t>(job.x_stride);
    start[m] = job.x + (o.up() ? (g.image_rows - 1) * row : 0) +
               (o.left() ? (g.image_columns - 1) * column : 0);
    if (o.up()) row = -row;
    if (o.left()) column = -column;
    dx[m] = o.transposed ? row : column;
    dy[m] = o.transposed ? column : row;
  }
};

// One ray through rows of a tile that starts at row y0; out[m] += its sum for member m.
template <class DC, int kVectors, int kMembers>
HWY_INLINE void forward_ray(const Steps<kMembers>& steps, int y0, Range rows,
                            const RowWeights& weights, std::size_t offset, float* const* out) {
  using VC = hn::Vec<DC>;
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  VC even[kMembers][kVectors];
  VC odd[kMembers][kVectors];
  const float* row[kMembers];
  for (int m = 0; m < kMembers; ++m) {
    for (int v = 0; v < kVectors; ++v) even[m][v] = odd[m][v] = hn::Zero(d);
    row[m] = steps.start[m] + (y0 + rows.begin) * steps.dy[m];
  }
  for (int r = rows.begin; r < rows.end; ++r) {
    const VC left = hn::Set(d, weights.left[r]);
    const VC right = hn::Set(d, weights.right[r]);
    const std::ptrdiff_t base = weights.base[r];
#pragma GCC unroll 4
    for (int m = 0; m < kMembers; ++m) {
      const float* p = row[m] + base * steps.dx[m];
      const float* q = p + steps.dx[m];
      row[m] += steps.dy[m];
      // The next ray comes about one pixel further on.
      for (int v = 0; v < kVectors * lanes; v += 16) hwy::Prefetch(q + steps.dx[m] + v);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        even[m][v] = hn::MulAdd(left, hn::LoadU(d, p + v * lanes), even[m][v]);
        odd[m][v] = hn::MulAdd(right, hn::LoadU(d, q + v * lanes), odd[m][v]);
      }
    }
  }
  for (int m = 0; m < kMembers; ++m) add_to<DC, kVectors>(out[m] + offset, even[m], odd[m]);
}

template <class DC, int kVectors, int kMembers>
void forward_tile(const WideForwardJob& job) {
  const Family& f = *job.family;
  const StripPlan& plan = job.plan->strips();
  const Tile& tile = job.tile;
  const auto beamlets = static_cast<std::size_t>(plan.geometry().beamlets);

  Steps<kMembers> steps;
  float* out[kMembers];
  int width = 0;
  for (int m = 0; m < kMembers; ++m) {
    const auto member = static_cast<std::size_t>(job.first_member + m);
    const Orientation& o =
        plan.orientations()[static_cast<std::size_t>(f.first_orientation) + member];
    steps.set(m, job, plan.geometry(), o);
    out[m] = job.y + plan.views()[f.first_view + member] * beamlets * job.y_stride;
    width = o.width;
  }

  // Left end of ray 0 in the tile's row 0. Pixels -1 and width - 1 begin intervals that reach out
  // of the frame.
  const double origin = f.start - 0.5 * f.tau + f.slope * tile.y0;
  const double low = tile.x0 == 0 ? -1 : tile.x0;
  const double high = std::min(tile.x0 + tile.width, width);
  const double first = (low - origin - f.slope * tile.height) / f.pitch;
  const double last = (high - origin) / f.pitch;
  const auto limit = static_cast<double>(beamlets);
  const int begin = static_cast<int>(std::clamp(first, 0.0, limit));
  const int end = static_cast<int>(std::clamp(last + 1, 0.0, limit));
  RowWeights weights;
  for (int ray = begin; ray < end; ++ray) {
    const double x = origin + f.pitch * ray;
    const Range rows{row_at(f, x, low, tile.height), row_at(f, x, high, tile.height)};
    if (rows.begin >= rows.end) continue;
    row_weights(f, rows, x, width - 2, weights);
    forward_ray<DC, kVectors, kMembers>(steps, tile.y0, rows, weights,
                                        static_cast<std::size_t>(ray) * job.y_stride, out);
  }
}

// ---- adjoint ----------------------------------------------------------------------------------

// Rays that reach each of some pixels of a row: the first one, and the weights of it and the next.
struct PixelWeights {
  HWY_ALIGN std::int32_t base[kWideChunk];
  HWY_ALIGN float first[kWideChunk];
  HWY_ALIGN float second[kWideChunk];
};

// x: ray coordinate of the lower end of the first pixel's trapezoid. Beyond the detector's ends, a
// ray that exists is read with weight zero.
HWY_INLINE void pixel_weights(const AdjointPair& pair, double x, int last_base, PixelWeights& out) {
  const D d;
  const DI di;
  const Split at = split(x);
  const VI whole = hn::Set(di, at.whole + 1);
  const VI fraction = hn::Set(di, at.fraction);
  const VI one = hn::Set(di, 1 << 30);
  const VI fall_first = hn::Set(di, pair.fall_first);
  const VI fall_second = hn::Set(di, pair.fall_second);
  const VI ramp = hn::Set(di, pair.ramp);
  const V scale = hn::Set(d, pair.scale);
  const VI last = hn::Set(di, last_base);
  for (int k = 0; k < kWideChunk; k += lane_count()) {
    const Position p = add_position(pair.pixels, k, whole, fraction);
    const VI f = hn::ShiftRight<1>(p.fraction);
    const VI rising_falling = hn::Min(hn::Sub(one, f), hn::Add(f, fall_first));
    const V first = hn::Mul(scale, hn::ConvertTo(d, clamp_to(rising_falling, ramp)));
    const V second = hn::Mul(scale, hn::ConvertTo(d, clamp_to(hn::Sub(f, fall_second), ramp)));
    // base -1: only the second ray exists; base last + 1: only the first.
    const VI base = clamp_to(p.whole, last);
    const auto same = hn::RebindMask(d, hn::Eq(base, p.whole));
    const auto before = hn::RebindMask(d, hn::Eq(p.whole, hn::Set(di, -1)));
    const auto after = hn::RebindMask(d, hn::Eq(p.whole, hn::Add(last, hn::Set(di, 1))));
    hn::StoreU(base, di, out.base + k);
    hn::StoreU(hn::IfThenElse(same, first, hn::IfThenElseZero(before, second)), d, out.first + k);
    hn::StoreU(hn::IfThenElse(same, second, hn::IfThenElseZero(after, first)), d, out.second + k);
  }
}

// Pixels [x, x + kUnroll) of a row of the tile, and their mirror images.
template <class DC, int kVectors, int kMembers, int kUnroll>
HWY_INLINE void adjoint_pixels(const WideAdjointJob& job, const PixelWeights* HWY_RESTRICT weights,
                               const float* const (*rays)[2], float* row, int x) {
  using VC = hn::Vec<DC>;
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  VC even[kUnroll][kMembers][kVectors];
  VC odd[kUnroll][kMembers][kVectors];
  for (int u = 0; u < kUnroll; ++u) {
    for (int m = 0; m < kMembers; ++m) {
      for (int v = 0; v < kVectors; ++v) even[u][m][v] = odd[u][m][v] = hn::Zero(d);
    }
  }
  for (int k = 0; k < job.pairs; ++k) {
    for (int u = 0; u < kUnroll; ++u) {
      const auto first = hn::Set(d, weights[k].first[x + u]);
      const auto second = hn::Set(d, weights[k].second[x + u]);
      const std::size_t at = static_cast<std::size_t>(weights[k].base[x + u]) * job.y_stride;
      for (int m = 0; m < kMembers; ++m) {
        const float* HWY_RESTRICT p = rays[k][m] + at;
        const float* HWY_RESTRICT q = p + job.y_stride;
        for (int v = 0; v < kVectors; ++v) {
          even[u][m][v] = hn::MulAdd(first, hn::LoadU(d, p + v * lanes), even[u][m][v]);
          odd[u][m][v] = hn::MulAdd(second, hn::LoadU(d, q + v * lanes), odd[u][m][v]);
        }
      }
    }
  }
  const int columns = job.plan->geometry().image_columns;
  for (int u = 0; u < kUnroll; ++u) {
    const int column = job.tile.x0 + x + u;
    for (int m = 0; m < kMembers; ++m) {
      const auto pixel = static_cast<std::size_t>(m == 0 ? column : columns - 1 - column);
      add_to<DC, kVectors>(row + pixel * job.x_stride, even[u][m], odd[u][m]);
    }
  }
}

template <class DC, int kVectors, int kMembers>
void adjoint_tile(const WideAdjointJob& job) {
  constexpr int kUnroll = 4 / (kVectors * kMembers);
  const Geometry& g = job.plan->geometry();
  const Tile& tile = job.tile;
  constexpr double kFar = 1e9;  // beyond any detector, within 32 bits
  PixelWeights weights[kWideBatch];
  const float* rays[kWideBatch][2];
  for (int k = 0; k < job.pairs; ++k) {
    for (int m = 0; m < kMembers; ++m) {
      rays[k][m] = job.y + job.pair[k].angle[m] * job.y_view_stride;
    }
  }
  for (int r = tile.y0; r < tile.y0 + tile.height; ++r) {
    for (int k = 0; k < job.pairs; ++k) {
      const AdjointPair& p = job.pair[k];
      const double low = p.origin + p.down * r + p.across * tile.x0;
      pixel_weights(p, std::clamp(low, -kFar, kFar), g.beamlets - 2, weights[k]);
    }
    float* row = job.x + static_cast<std::size_t>(r) * static_cast<std::size_t>(g.image_columns) *
                             job.x_stride;
    int x = 0;
    for (; x + kUnroll <= tile.width; x += kUnroll) {
      adjoint_pixels<DC, kVectors, kMembers, kUnroll>(job, weights, rays, row, x);
    }
    for (; x < tile.width; ++x)
      adjoint_pixels<DC, kVectors, kMembers, 1>(job, weights, rays, row, x);
  }
}

// ---- from run-time numbers to compiled ones ---------------------------------------------------

template <class DC, int kVectors>
void forward_members(const WideForwardJob& job) {
  if constexpr (kVectors == 1) {
    if (job.members == 4) return forward_tile<DC, 1, 4>(job);
    if (job.members == 3) return forward_tile<DC, 1, 3>(job);
  }
  if (job.members == 2) return forward_tile<DC, kVectors, 2>(job);
  return forward_tile<DC, kVectors, 1>(job);
}

template <class DC, int kVectors>
void adjoint_members(const WideAdjointJob& job) {
  if (job.pair->members == 2) return adjoint_tile<DC, kVectors, 2>(job);
  return adjoint_tile<DC, kVectors, 1>(job);
}

// Calls visit(tag, constant number of vectors) for a number of columns.
template <class Visit>
HWY_INLINE void visit_columns(int columns, const Visit& visit) {
  constexpr std::integral_constant<int, 1> kOne;
  constexpr std::integral_constant<int, 2> kTwo;
  if (columns == 2 * lane_count()) return visit(D(), kTwo);
  if (columns == lane_count()) return visit(D(), kOne);
  // Less than one vector: 8 of 16 lanes, or 4 of 8 or 16.
  if constexpr (HWY_MAX_BYTES >= 64) {
    if (columns == 8) return visit(hn::CappedTag<float, 8>(), kOne);
  }
  if constexpr (HWY_MAX_BYTES >= 32) {
    if (columns == 4) return visit(hn::CappedTag<float, 4>(), kOne);
  }
  HWY_ABORT("no wide kernel for %d columns", columns);
}

inline void forward(const WideForwardJob& job) {
  visit_columns(job.columns, [&](auto d, auto vectors) {
    forward_members<decltype(d), decltype(vectors)::value>(job);
  });
}

inline void adjoint(const WideAdjointJob& job) {
  visit_columns(job.columns, [&](auto d, auto vectors) {
    adjoint_members<decltype(d), decltype(vectors)::value>(job);
  });
}

inline WideFunctions functions() { return {&forward, &adjoint}; }

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
