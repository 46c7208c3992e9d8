// The wide forward kernel: the lanes of a vector are columns of a Block, one ray at a time.
// Compiled once for each instruction set, after wide_rows-inl.h.
//
// A ray meets a pixel in every row of a band, and in some rows, the *crossings*, also the next one.
// Pixels and weights are computed as vectors of rows; they serve all members of a family and, if
// the detector is centred, the opposite rays. An entry then takes, for each of them, one
// multiply-add per vector of columns. Neighbouring angles take turns, ray by ray, because they find
// each other's pixels in the first-level cache.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace wide {

// Destinations of the sums of a ray and of the opposite one, in floats from ray 0.
struct RayOffsets {
  std::size_t ray;
  std::size_t opposite;
};

HWY_INLINE const float* at_bytes(const float* start, std::ptrdiff_t bytes) {
  return reinterpret_cast<const float*>(reinterpret_cast<const char*>(start) + bytes);
}

// The pixels that some members meet first in a row, or those next to them.
template <int kMembers>
struct Pixels {
  const float* start[kMembers];
  const float* opposite[kMembers];
  const std::int32_t* at[kMembers];

  HWY_INLINE Pixels(const Band& band, int first_member, const RowTable& table) {
    for (int m = 0; m < kMembers; ++m) {
      start[m] = band.members[first_member + m].start;
      opposite[m] = band.members[first_member + m].opposite;
      at[m] = table.at[first_member + m];
    }
  }

  HWY_INLINE void step(const Band& band, int first_member) {
    for (int m = 0; m < kMembers; ++m) {
      const std::ptrdiff_t dx = band.members[first_member + m].dx;
      start[m] = at_bytes(start[m], dx);
      opposite[m] = at_bytes(opposite[m], -dx);
    }
  }
};

constexpr int kBlocksAhead = 4;  // pixels

// T of these pixels, if the projection is attenuated, and of the opposite ones.
template <int kMembers, bool kCentred, bool kAttenuated>
struct Blocks {
  HWY_INLINE Blocks(const Walk&, const Band&, int, const BlockTable*) {}
  HWY_INLINE void step(int, const BlockTable*) {}
};

template <int kMembers, bool kCentred>
struct Blocks<kMembers, kCentred, true> {
  const std::uint16_t* start[kMembers];
  const std::int32_t* at[kMembers];
  const std::int32_t* opposite[kMembers];
  std::ptrdiff_t ahead[kMembers];  // to T of a ray that follows soon: it comes from main memory

  HWY_INLINE Blocks(const Walk& walk, const Band& band, int first_member, const BlockTable* table) {
    for (int m = 0; m < kMembers; ++m) {
      start[m] = walk.transmittance[first_member + m];
      const BlockWalk& blocks = band.blocks[0][first_member + m];
      ahead[m] = blocks.sign * blocks.step * (kBlocksAhead >> band.shift);
    }
    set(first_member, table, 0);
  }

  HWY_INLINE void step(int first_member, const BlockTable* table) { set(first_member, table, 1); }

  HWY_INLINE void set(int first_member, const BlockTable* table, int next) {
    for (int m = 0; m < kMembers; ++m) {
      at[m] = table->at[0][next][first_member + m];
      if constexpr (kCentred) opposite[m] = table->at[1][next][first_member + m];
    }
  }
};

// sum += weight * pixels, in one row.
template <class DC, int kVectors, int kMembers, bool kCentred, bool kAttenuated>
HWY_INLINE void add_entry(const Pixels<kMembers>& pixels,
                          const Blocks<kMembers, kCentred, kAttenuated>& blocks, int row,
                          float weight,
                          hn::Vec<DC> (&sum)[kMembers * (kCentred ? 2 : 1)][kVectors]) {
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto w = hn::Set(d, kAttenuated ? weight * (1.0f / kFullTransmittance) : weight);
  const auto weighed = [&](const float* p, [[maybe_unused]] const std::uint16_t* t, int v,
                           hn::Vec<DC> before) HWY_ATTR {
    auto factor = w;
    if constexpr (kAttenuated) factor = attenuate<DC>(w, t + v * lanes);
    return hn::MulAdd(factor, hn::LoadU(d, p + v * lanes), before);
  };
#pragma GCC unroll 4
  for (int m = 0; m < kMembers; ++m) {
    const std::ptrdiff_t bytes = pixels.at[m][row];
    const float* p = at_bytes(pixels.start[m], bytes);
    const std::uint16_t* t = nullptr;
    if constexpr (kAttenuated) {
      t = blocks.start[m] + blocks.at[m][row];
      prefetch_far(t + blocks.ahead[m]);
    }
    for (int v = 0; v < kVectors; ++v) sum[m][v] = weighed(p, t, v, sum[m][v]);
    if constexpr (kCentred) {
      const float* q = at_bytes(pixels.opposite[m], -bytes);
      if constexpr (kAttenuated) {
        t = blocks.start[m] + blocks.opposite[m][row];
        prefetch_far(t - blocks.ahead[m]);
      }
      for (int v = 0; v < kVectors; ++v) {
        sum[kMembers + m][v] = weighed(q, t, v, sum[kMembers + m][v]);
      }
    }
  }
}

// total = (sum over the upper half of the band) + (sum over its lower half), the order
// of the paired kernel. kCrossings: over the rows in the lists, else over all rows.
template <class DC, int kVectors, int kMembers, bool kCentred, bool kCrossings, bool kAttenuated>
HWY_INLINE void sum_band(const Pixels<kMembers>& pixels,
                         const Blocks<kMembers, kCentred, kAttenuated>& blocks,
                         const RowTable& table,
                         hn::Vec<DC> (&total)[kMembers * (kCentred ? 2 : 1)][kVectors]) {
  using VC = hn::Vec<DC>;
  constexpr int kSums = kMembers * (kCentred ? 2 : 1);
  // A multiply-add must wait for the one before it: if there are few sums, the halves take turns.
  constexpr bool kTurns = kSums * kVectors <= 4;
  const float* weights = kCrossings ? table.second : table.first;
  const int count = kCrossings ? table.count : kHalfRows;
  VC sum[kSums][kVectors];
  for (int k = 0; k < kSums; ++k) {
    for (int v = 0; v < kVectors; ++v) total[k][v] = sum[k][v] = hn::Zero(DC());
  }
  const auto row = [&](int half, int k) HWY_ATTR {
    return kCrossings ? table.crossings[half][k] : half * kHalfRows + k;
  };
  if constexpr (kTurns) {
    for (int k = 0; k < count; ++k) {
      add_entry<DC, kVectors, kMembers, kCentred, kAttenuated>(pixels, blocks, row(0, k),
                                                               weights[row(0, k)], total);
      add_entry<DC, kVectors, kMembers, kCentred, kAttenuated>(pixels, blocks, row(1, k),
                                                               weights[row(1, k)], sum);
    }
  } else {
#pragma GCC unroll 2
    for (int k = 0; k < count; ++k) {
      add_entry<DC, kVectors, kMembers, kCentred, kAttenuated>(pixels, blocks, row(0, k),
                                                               weights[row(0, k)], sum);
    }
    for (int k = 0; k < kSums; ++k) {
      for (int v = 0; v < kVectors; ++v) {
        total[k][v] = sum[k][v];
        sum[k][v] = hn::Zero(DC());
      }
    }
#pragma GCC unroll 2
    for (int k = 0; k < count; ++k) {
      add_entry<DC, kVectors, kMembers, kCentred, kAttenuated>(pixels, blocks, row(1, k),
                                                               weights[row(1, k)], sum);
    }
  }
  for (int k = 0; k < kSums; ++k) {
    for (int v = 0; v < kVectors; ++v) total[k][v] = hn::Add(total[k][v], sum[k][v]);
  }
}

// kMembers members of a family, from the first one on.
template <class DC, int kVectors, int kMembers, bool kCentred, bool kAttenuated>
HWY_INLINE void add_ray(const Walk& walk, const Band& band, int first_member, const RowTable& table,
                        const BlockTable* block_table, RayOffsets offsets) {
  using VC = hn::Vec<DC>;
  constexpr int kSums = kMembers * (kCentred ? 2 : 1);
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Pixels<kMembers> pixels(band, first_member, table);
  Blocks<kMembers, kCentred, kAttenuated> blocks(walk, band, first_member, block_table);
  VC first[kSums][kVectors];
  VC second[kSums][kVectors];
  sum_band<DC, kVectors, kMembers, kCentred, false, kAttenuated>(pixels, blocks, table, first);
  pixels.step(band, first_member);
  blocks.step(first_member, block_table);
  sum_band<DC, kVectors, kMembers, kCentred, true, kAttenuated>(pixels, blocks, table, second);
  for (int k = 0; k < kSums; ++k) {
    if (k >= kMembers && offsets.opposite == offsets.ray) break;  // its own opposite
    float* out =
        walk.out[first_member + k % kMembers] + (k < kMembers ? offsets.ray : offsets.opposite);
    for (int v = 0; v < kVectors; ++v) {
      const VC sum = hn::Add(first[k][v], second[k][v]);
      hn::StoreU(hn::Add(hn::LoadU(d, out + v * lanes), sum), d, out + v * lanes);
    }
  }
}

// kInside: within the frame in all rows.
template <class DC, int kVectors, bool kCentred, bool kInside, bool kAttenuated>
HWY_INLINE void forward_ray(const Walk& walk, const Band& band, int ray, const WideForwardJob& job,
                            RowTable& table, BlockTable* blocks) {
  constexpr int kAhead = 2;  // The results come from further away than the pixels.
  const int last_ray = job.plan->geometry().beamlets - 1;
  const auto offsets = [&](int k) {
    return RayOffsets{static_cast<std::size_t>(k) * job.y_stride,
                      static_cast<std::size_t>(last_ray - k) * job.y_stride};
  };
  for (int m = 0; m < band.count; ++m) {
    const RayOffsets next = offsets(std::min(ray + kAhead, last_ray));
    hwy::Prefetch(walk.out[m] + next.ray);
    if constexpr (kCentred) hwy::Prefetch(walk.out[m] + next.opposite);
  }
  fill<!kInside, kCentred, kAttenuated>(walk, band, ray, table, blocks);
  int m = 0;
  if constexpr (!kCentred) {
    for (; m + 4 <= band.count; m += 4) {
      add_ray<DC, kVectors, 4, false, kAttenuated>(walk, band, m, table, blocks, offsets(ray));
    }
  }
  for (; m + 2 <= band.count; m += 2) {
    add_ray<DC, kVectors, 2, kCentred, kAttenuated>(walk, band, m, table, blocks, offsets(ray));
  }
  if (m < band.count)
    add_ray<DC, kVectors, 1, kCentred, kAttenuated>(walk, band, m, table, blocks, offsets(ray));
}

template <class DC, int kVectors, bool kCentred, bool kAttenuated>
void forward_tile(const WideForwardJob& job) {
  const Band band(job);
  RowTable table;
  band.set_none(table);
  BlockTable block_table;
  BlockTable* blocks = kAttenuated ? &block_table : nullptr;
  if constexpr (kAttenuated) band.set_none(block_table);
  Walk walks[kWideFamilies];
  int most = 0;
  for (int k = 0; k < job.families; ++k) {
    Walk& walk = walks[k];
    walk.set(job, band, job.family[k]);
    most = std::max(most, walk.inside.end - walk.inside.begin);
    for (int ray = walk.rays.begin; ray < walk.inside.begin; ++ray) {
      forward_ray<DC, kVectors, kCentred, false, kAttenuated>(walk, band, ray, job, table, blocks);
    }
    for (int ray = walk.inside.end; ray < walk.rays.end; ++ray) {
      forward_ray<DC, kVectors, kCentred, false, kAttenuated>(walk, band, ray, job, table, blocks);
    }
  }
  for (int i = 0; i < most; ++i) {
    for (int k = 0; k < job.families; ++k) {
      const int ray = walks[k].inside.begin + i;
      if (ray >= walks[k].inside.end) continue;
      forward_ray<DC, kVectors, kCentred, true, kAttenuated>(walks[k], band, ray, job, table,
                                                             blocks);
    }
  }
}

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
