// The wide adjoint kernel: the lanes of a vector are columns of a Block, a few pixels at a time.
// Compiled once for each instruction set, after wide_weights-inl.h.
//
// At most two rays reach a pixel at one angle, so there are two weights, and for each vector of
// columns two loads with fused multiply-adds. The weights are computed for many pixels at once, as
// vectors, into small tables that stay in the first-level cache.

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

// The views of the members of all pairs.
struct Rays {
  const float* view[kWideBatch][2];  // ray 0, or with `opposite` the last ray
  std::ptrdiff_t step;               // floats to the next ray, or with `opposite` to the one before
  const std::uint16_t* transmittance[kWideBatch][2];  // of the row's first block
};

// Pixels [x, x + kUnroll) of a row of the tile and their mirror images.
template <class DC, int kVectors, int kMembers, int kUnroll, bool kAttenuated>
HWY_INLINE void adjoint_pixels(const WideAdjointJob& job, const PixelTable* HWY_RESTRICT tables,
                               const Rays& rays, float* row, int x) {
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
  const int columns = job.plan->geometry().image_columns;
  const auto pixel_of = [&](int u, int m) {
    const int column = job.tile.x0 + x + u;
    const bool from_right = (m == 1) != job.opposite;
    return from_right ? columns - 1 - column : column;
  };
  for (int k = 0; k < job.pairs; ++k) {
    for (int u = 0; u < kUnroll; ++u) {
      const float unit = kAttenuated ? 1.0f / kFullTransmittance : 1.0f;
      const auto first = hn::Set(d, unit * tables[k].first[x + u]);
      const auto second = hn::Set(d, unit * tables[k].second[x + u]);
      const std::ptrdiff_t at = tables[k].base[x + u] * rays.step;
      for (int m = 0; m < kMembers; ++m) {
        const float* HWY_RESTRICT p = rays.view[k][m] + at;
        const float* HWY_RESTRICT q = p + rays.step;
        [[maybe_unused]] const std::uint16_t* t = nullptr;
        if constexpr (kAttenuated) {
          t = rays.transmittance[k][m] +
              (pixel_of(u, m) >> job.transmittance.shift) * job.transmittance.stride;
          // T of the next row: there are too many rows of T at once for processors to follow.
          prefetch_far(t + (job.opposite ? -1 : 1) * job.transmittance.row_stride);
        }
        for (int v = 0; v < kVectors; ++v) {
          VC a = first;
          VC b = second;
          if constexpr (kAttenuated) {
            a = attenuate<DC>(first, t + v * lanes);
            b = attenuate<DC>(second, t + v * lanes);
          }
          even[u][m][v] = hn::MulAdd(a, hn::LoadU(d, p + v * lanes), even[u][m][v]);
          odd[u][m][v] = hn::MulAdd(b, hn::LoadU(d, q + v * lanes), odd[u][m][v]);
        }
      }
    }
  }
  for (int u = 0; u < kUnroll; ++u) {
    for (int m = 0; m < kMembers; ++m) {
      const auto pixel = static_cast<std::size_t>(pixel_of(u, m));
      add_to<DC, kVectors>(row + pixel * job.x_stride, even[u][m], odd[u][m]);
    }
  }
}

template <class DC, int kVectors, int kMembers, bool kAttenuated>
void adjoint_tile(const WideAdjointJob& job) {
  constexpr int kUnroll = 4 / (kVectors * kMembers);
  const Geometry& g = job.plan->geometry();
  const Tile& tile = job.tile;
  constexpr double kFar = 1e9;  // beyond any detector, within 32 bits
  PixelTable tables[kWideBatch];
  const auto stride = static_cast<std::ptrdiff_t>(job.y_stride);
  Rays rays;
  rays.step = job.opposite ? -stride : stride;
  const float* first = job.y + (job.opposite ? (g.beamlets - 1) * stride : 0);
  for (int k = 0; k < job.pairs; ++k) {
    for (int m = 0; m < kMembers; ++m) {
      rays.view[k][m] = first + job.pair[k].angle[m] * job.y_view_stride;
    }
  }
  for (int r = tile.y0; r < tile.y0 + tile.height; ++r) {
    for (int k = 0; k < job.pairs; ++k) {
      const AdjointPair& p = job.pair[k];
      const double low = p.origin + p.down * r + p.across * tile.x0;
      fill_pixels(PixelWeights(p, std::clamp(low, -kFar, kFar), g.beamlets - 2), tables[k]);
    }
    const int image_row = job.opposite ? g.image_rows - 1 - r : r;
    if constexpr (kAttenuated) {
      const WideTransmittance& t = job.transmittance;
      const std::ptrdiff_t at = (image_row >> t.shift) * t.row_stride;
      for (int k = 0; k < job.pairs; ++k) {
        for (int m = 0; m < kMembers; ++m) {
          rays.transmittance[k][m] = t.view[job.pair[k].angle[m]] + at + t.column;
        }
      }
    }
    float* row = job.x + static_cast<std::size_t>(image_row) *
                             static_cast<std::size_t>(g.image_columns) * job.x_stride;
    int x = 0;
    for (; x + kUnroll <= tile.width; x += kUnroll) {
      adjoint_pixels<DC, kVectors, kMembers, kUnroll, kAttenuated>(job, tables, rays, row, x);
    }
    for (; x < tile.width; ++x)
      adjoint_pixels<DC, kVectors, kMembers, 1, kAttenuated>(job, tables, rays, row, x);
  }
}

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
