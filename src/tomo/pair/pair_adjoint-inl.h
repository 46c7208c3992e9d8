// The paired adjoint kernel. Compiled once for each instruction set, after pair_kernel-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace pair {

// Pixels of a row: bytes from ray 0 to the two rays that reach a pixel, and their weights side by
// side.
struct PixelTable {
  HWY_ALIGN std::int32_t at[kWideChunk];
  HWY_ALIGN float weights[2 * kWideChunk];
};

template <bool kEdges>
HWY_INLINE void fill_pixels(const AdjointPair& pair, double x, int last_base, PixelTable& out) {
  const PixelWeights weights(pair, x, last_base);
  for (int k = 0; k < kWideChunk; k += kGroup) {
    const TwoWeights w = weights.at<kEdges>(k);
    static_assert(kPairColumns * sizeof(float) == 1 << 4);
    hn::Store(hn::ShiftLeft<4>(w.base), DI(), out.at + k);
    hn::StoreInterleaved2(w.first, w.second, D(), out.weights + 2 * k);
  }
}

// Tables of row r of a tile, one for each pair.
HWY_INLINE void fill_tables(const PairAdjointJob& job, int r, PixelTable* tables) {
  constexpr double kFar = 1e9;  // beyond any detector, within 32 bits
  const int beamlets = job.plan->geometry().beamlets;
  for (int k = 0; k < job.pairs; ++k) {
    const AdjointPair& p = job.pair[k];
    const double low = p.origin + p.down * r + p.across * job.tile.x0;
    const double high = low + p.across * kWideChunk;
    if (std::min(low, high) >= 0 && std::max(low, high) < beamlets - 3) {
      fill_pixels<false>(p, low, beamlets - 2, tables[k]);
    } else {
      fill_pixels<true>(p, std::clamp(low, -kFar, kFar), beamlets - 2, tables[k]);
    }
  }
}

// Constants of a tile.
struct Rays {
  const float* view[kWideBatch][2];  // ray 0 of each pair's members
  std::ptrdiff_t last;               // from there to the last two rays
  Spread spread;
  Spread opposite;
};

// Destinations of the sums: the pixels themselves, which run forwards in memory, their mirror
// images, which run backwards, and the same in the opposite row, the other way round.
struct Out {
  float* pixel[2];
  float* opposite[2];
};

template <int kPixels>
HWY_INLINE void add_pixels(float* out, int step, const V8 (&sums)[kPixels]) {
  if constexpr (kPixels == 1) {
    add_one(out, sums[0]);
  } else {
    for (int u = 0; u < kPixels; u += 2) {
      if (step > 0) add_two(out + u * kPairColumns, sums[u], sums[u + 1]);
      if (step < 0) add_two(out - (u + 1) * kPairColumns, sums[u + 1], sums[u]);
    }
  }
}

// Pixels x, x + 1, .. of a tile's row and all their images.
template <bool kCentred, int kMembers, int kPixels>
HWY_INLINE void adjoint_pixels(const PixelTable* tables, int x, const Rays& rays, int pairs,
                               const Out& out) {
  constexpr std::size_t kNext = sizeof(PixelTable) / sizeof(float);
  const D8 d;
  const std::int32_t* at = tables->at + x;
  const float* weights = tables->weights + 2 * x;
  V8 sums[kMembers][kPixels];
  V8 opposite[kMembers][kPixels];
  for (int m = 0; m < kMembers; ++m) {
    for (int u = 0; u < kPixels; ++u) sums[m][u] = opposite[m][u] = hn::Zero(d);
  }
  for (int k = 0; k < pairs; ++k, at += kNext, weights += kNext) {
#pragma GCC unroll 4
    for (int u = 0; u < kPixels; u += 2) {
      const auto w = load_two(weights + 2 * u);
      const TwoOffsets offset = load_two(at + u);
#pragma GCC unroll 2
      for (int m = 0; m < kMembers; ++m) {
        const float* p = rays.view[k][m];
        const float* q = p + rays.last;
        sums[m][u] =
            hn::MulAdd(spread(w, rays.spread.first), load_at(d, p, offset.first), sums[m][u]);
        if constexpr (kCentred) {
          opposite[m][u] = hn::MulAdd(spread(w, rays.opposite.first), load_at(d, q, -offset.first),
                                      opposite[m][u]);
        }
        if constexpr (kPixels > 1) {
          sums[m][u + 1] = hn::MulAdd(spread(w, rays.spread.second), load_at(d, p, offset.second),
                                      sums[m][u + 1]);
          if constexpr (kCentred) {
            opposite[m][u + 1] = hn::MulAdd(spread(w, rays.opposite.second),
                                            load_at(d, q, -offset.second), opposite[m][u + 1]);
          }
        }
      }
    }
  }
  for (int m = 0; m < kMembers; ++m) {
    const int step = m == 0 ? 1 : -1;
    add_pixels<kPixels>(out.pixel[m] + x * step * kPairColumns, step, sums[m]);
    if constexpr (kCentred) {
      add_pixels<kPixels>(out.opposite[m] - x * step * kPairColumns, -step, opposite[m]);
    }
  }
}

template <bool kCentred, int kMembers>
void adjoint_tile(const PairAdjointJob& job) {
  constexpr int kPixels = 8 / (kMembers * (kCentred ? 2 : 1));
  const Geometry& g = job.plan->geometry();
  const Tile& tile = job.tile;
  Rays rays;
  rays.last = static_cast<std::ptrdiff_t>(g.beamlets - 2) * kPairColumns;
  rays.spread = make_spread(false);
  rays.opposite = make_spread(true);
  for (int k = 0; k < job.pairs; ++k) {
    for (int m = 0; m < kMembers; ++m) {
      rays.view[k][m] = job.y + job.pair[k].angle[m] * job.y_view_stride;
    }
  }
  PixelTable tables[kWideBatch];
  for (int r = tile.y0; r < tile.y0 + tile.height; ++r) {
    fill_tables(job, r, tables);
    const std::ptrdiff_t left = tile.x0 * kPairColumns;
    const std::ptrdiff_t right = (g.image_columns - 1 - tile.x0) * kPairColumns;
    float* row = job.x + static_cast<std::size_t>(r) * job.x_row_stride;
    float* last = job.x + static_cast<std::size_t>(g.image_rows - 1 - r) * job.x_row_stride;
    const Out out{{row + left, row + right}, {last + right, last + left}};
    int x = 0;
    for (; x + kPixels <= tile.width; x += kPixels) {
      // Pixels that are mirror images of each other: one by one, so that they get their two sums in
      // the order of the wide kernel.
      const int column = tile.x0 + x;
      if (kMembers == 2 && 2 * column < g.image_columns &&
          2 * (column + kPixels) > g.image_columns) {
        for (int u = 0; u < kPixels; ++u) {
          adjoint_pixels<kCentred, kMembers, 1>(tables, x + u, rays, job.pairs, out);
        }
        continue;
      }
      adjoint_pixels<kCentred, kMembers, kPixels>(tables, x, rays, job.pairs, out);
    }
    for (; x < tile.width; ++x) {
      adjoint_pixels<kCentred, kMembers, 1>(tables, x, rays, job.pairs, out);
    }
  }
}

inline void adjoint(const PairAdjointJob& job) {
  const bool two = job.pair->members == 2;
  if (job.centred) return two ? adjoint_tile<true, 2>(job) : adjoint_tile<true, 1>(job);
  return two ? adjoint_tile<false, 2>(job) : adjoint_tile<false, 1>(job);
}

}  // namespace pair
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
