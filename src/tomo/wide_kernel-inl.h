// The wide strip kernels: the lanes of a vector are columns of a Block, one ray or one pixel at a
// time. Compiled once for each instruction set, after wide_weights-inl.h.
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

// Rows of a tile as one ray meets them: the pixels base and base + 1 of the frame, their weights.
struct RowTable {
  HWY_ALIGN std::int32_t base[kWideTileHeight + kMaxLanes];
  HWY_ALIGN float left[kWideTileHeight + kMaxLanes];
  HWY_ALIGN float right[kWideTileHeight + kMaxLanes];
};

HWY_INLINE void fill_rows(const RowWeights& weights, double x, Range rows, RowTable& out) {
  const Position start = position(x);
  for (int r = rows.begin / lane_count() * lane_count(); r < rows.end; r += lane_count()) {
    const TwoWeights w = weights.at<true>(r, start);
    hn::StoreU(w.base, DI(), out.base + r);
    hn::StoreU(w.first, D(), out.left + r);
    hn::StoreU(w.second, D(), out.right + r);
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
HWY_INLINE void forward_ray(const Steps<kMembers>& steps, int y0, Range rows, const RowTable& table,
                            std::size_t offset, float* const* out) {
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
    const VC left = hn::Set(d, table.left[r]);
    const VC right = hn::Set(d, table.right[r]);
    const std::ptrdiff_t base = table.base[r];
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

  const TileRays walk(f, tile, width);
  const Range rays = walk.rays({0, plan.geometry().beamlets});
  const RowWeights weights(f, width - 2);
  RowTable table;
  for (int ray = rays.begin; ray < rays.end; ++ray) {
    const double x = walk.x(ray);
    const Range rows = walk.rows(x);
    if (rows.begin >= rows.end) continue;
    fill_rows(weights, x, rows, table);
    forward_ray<DC, kVectors, kMembers>(steps, tile.y0, rows, table,
                                        static_cast<std::size_t>(ray) * job.y_stride, out);
  }
}

// ---- adjoint ----------------------------------------------------------------------------------

// Pixels of a row: the first of the rays that reach them, and the weights of it and the next.
struct PixelTable {
  HWY_ALIGN std::int32_t base[kWideChunk];
  HWY_ALIGN float first[kWideChunk];
  HWY_ALIGN float second[kWideChunk];
};

HWY_INLINE void fill_pixels(const PixelWeights& weights, PixelTable& out) {
  for (int k = 0; k < kWideChunk; k += lane_count()) {
    const TwoWeights w = weights.at<true>(k);
    hn::StoreU(w.base, DI(), out.base + k);
    hn::StoreU(w.first, D(), out.first + k);
    hn::StoreU(w.second, D(), out.second + k);
  }
}

// Pixels [x, x + kUnroll) of a row of the tile, and their mirror images.
template <class DC, int kVectors, int kMembers, int kUnroll>
HWY_INLINE void adjoint_pixels(const WideAdjointJob& job, const PixelTable* HWY_RESTRICT tables,
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
      const auto first = hn::Set(d, tables[k].first[x + u]);
      const auto second = hn::Set(d, tables[k].second[x + u]);
      const std::size_t at = static_cast<std::size_t>(tables[k].base[x + u]) * job.y_stride;
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
  PixelTable tables[kWideBatch];
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
      fill_pixels(PixelWeights(p, std::clamp(low, -kFar, kFar), g.beamlets - 2), tables[k]);
    }
    float* row = job.x + static_cast<std::size_t>(r) * static_cast<std::size_t>(g.image_columns) *
                             job.x_stride;
    int x = 0;
    for (; x + kUnroll <= tile.width; x += kUnroll) {
      adjoint_pixels<DC, kVectors, kMembers, kUnroll>(job, tables, rays, row, x);
    }
    for (; x < tile.width; ++x)
      adjoint_pixels<DC, kVectors, kMembers, 1>(job, tables, rays, row, x);
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
  if constexpr (HWY_MAX_BYTES >= 64) {  // less than one vector: 8 of 16 lanes
    if (columns == 8) return visit(hn::CappedTag<float, 8>(), kOne);
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
