// The wide forward kernel: the lanes of a vector are columns of a Block, one ray at a time.
// Compiled once for each instruction set, after wide_rows-inl.h.
//
// A ray meets a pixel in every row of a band, and in some rows, the *crossings*, the next one, too.
// Where, and with which weights, is computed as vectors of rows; it serves all members of a family
// and, if the detector is centred, the opposite rays. An entry then is, for each of them, one
// multiply-add per vector of columns. Neighbouring angles take turns, ray by ray, because they find
// each other's pixels in the first-level cache.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace wide {

// Where the sums of a ray and of the opposite one go, in floats from ray 0.
struct RayOffsets {
  std::size_t ray;
  std::size_t opposite;
};

HWY_INLINE const float* at_bytes(const float* start, std::ptrdiff_t bytes) {
  return reinterpret_cast<const float*>(reinterpret_cast<const char*>(start) + bytes);
}

// kMembers members from the first one on.
template <class DC, int kVectors, int kMembers, bool kCentred>
HWY_INLINE void add_ray(const Walk& walk, const Band& band, int first_member, const RowTable& table,
                        RayOffsets offsets) {
  using VC = hn::Vec<DC>;
  constexpr int kSums = kMembers * (kCentred ? 2 : 1);
  // A multiply-add must wait for the one before it: of few sums there are two each.
  constexpr int kSets = kSums * kVectors <= 4 ? 2 : 1;
  const DC d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  VC sum[kSets][kSums][kVectors];
  for (int s = 0; s < kSets; ++s) {
    for (int k = 0; k < kSums; ++k) {
      for (int v = 0; v < kVectors; ++v) sum[s][k][v] = hn::Zero(d);
    }
  }
  const float* start[kMembers];
  const float* opposite[kMembers];
  const std::int32_t* at[kMembers];
  for (int m = 0; m < kMembers; ++m) {
    const Member& member = band.members[first_member + m];
    start[m] = member.start;
    opposite[m] = member.opposite;
    at[m] = table.at[first_member + m];
  }
  const auto add_entry = [&](auto set, int row, float weight) HWY_ATTR {
    constexpr int s = decltype(set)::value;
    const VC w = hn::Set(d, weight);
#pragma GCC unroll 4
    for (int m = 0; m < kMembers; ++m) {
      const std::ptrdiff_t bytes = at[m][row];
      const float* p = at_bytes(start[m], bytes);
      for (int v = 0; v < kVectors; ++v) {
        sum[s][m][v] = hn::MulAdd(w, hn::LoadU(d, p + v * lanes), sum[s][m][v]);
      }
      if constexpr (kCentred) {
        const float* q = at_bytes(opposite[m], -bytes);
        for (int v = 0; v < kVectors; ++v) {
          sum[s][kMembers + m][v] =
              hn::MulAdd(w, hn::LoadU(d, q + v * lanes), sum[s][kMembers + m][v]);
        }
      }
    }
  };
  constexpr std::integral_constant<int, 0> kEven;
  constexpr std::integral_constant<int, kSets - 1> kOdd;
  for (int r = 0; r < kWideRows; r += 2) {
    add_entry(kEven, r, table.first[r]);
    add_entry(kOdd, r + 1, table.first[r + 1]);
  }
  for (int m = 0; m < kMembers; ++m) {
    const std::ptrdiff_t dx = band.members[first_member + m].dx;
    start[m] = at_bytes(start[m], dx);
    opposite[m] = at_bytes(opposite[m], -dx);
  }
  for (int k = 0; k < table.count; k += 2) {
    add_entry(kEven, table.crossings[k], table.second[table.crossings[k]]);
    add_entry(kOdd, table.crossings[k + 1], table.second[table.crossings[k + 1]]);
  }
  for (int k = 0; k < kSums; ++k) {
    if (k >= kMembers && offsets.opposite == offsets.ray) break;  // its own opposite
    float* out =
        walk.out[first_member + k % kMembers] + (k < kMembers ? offsets.ray : offsets.opposite);
    for (int v = 0; v < kVectors; ++v) {
      VC total = sum[0][k][v];
      if constexpr (kSets == 2) total = hn::Add(total, sum[1][k][v]);
      hn::StoreU(hn::Add(hn::LoadU(d, out + v * lanes), total), d, out + v * lanes);
    }
  }
}

// kInside: within the frame in all rows.
template <class DC, int kVectors, bool kCentred, bool kInside>
HWY_INLINE void forward_ray(const Walk& walk, const Band& band, int ray, const WideForwardJob& job,
                            RowTable& table) {
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
  fill<!kInside>(walk, band, ray, table);
  int m = 0;
  if constexpr (!kCentred) {
    for (; m + 4 <= band.count; m += 4) {
      add_ray<DC, kVectors, 4, false>(walk, band, m, table, offsets(ray));
    }
  }
  for (; m + 2 <= band.count; m += 2) {
    add_ray<DC, kVectors, 2, kCentred>(walk, band, m, table, offsets(ray));
  }
  if (m < band.count) add_ray<DC, kVectors, 1, kCentred>(walk, band, m, table, offsets(ray));
}

template <class DC, int kVectors, bool kCentred>
void forward_tile(const WideForwardJob& job) {
  const Band band(job);
  RowTable table;
  band.set_none(table);
  Walk walks[kWideFamilies];
  int most = 0;
  for (int k = 0; k < job.families; ++k) {
    Walk& walk = walks[k];
    walk.set(job, band, job.family[k]);
    most = std::max(most, walk.inside.end - walk.inside.begin);
    for (int ray = walk.rays.begin; ray < walk.inside.begin; ++ray) {
      forward_ray<DC, kVectors, kCentred, false>(walk, band, ray, job, table);
    }
    for (int ray = walk.inside.end; ray < walk.rays.end; ++ray) {
      forward_ray<DC, kVectors, kCentred, false>(walk, band, ray, job, table);
    }
  }
  for (int i = 0; i < most; ++i) {
    for (int k = 0; k < job.families; ++k) {
      const int ray = walks[k].inside.begin + i;
      if (ray >= walks[k].inside.end) continue;
      forward_ray<DC, kVectors, kCentred, true>(walks[k], band, ray, job, table);
    }
  }
}

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
