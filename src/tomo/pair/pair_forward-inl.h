// The paired forward kernel. Compiled once for each instruction set, after pair_kernel-inl.h.
//
// In a transposed frame the two pixels that a ray meets in a row are in different rows of the
// image: a *split* pair, with a load for each half. That is cheaper than a transposed copy.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace pair {

// Rows of a band as one ray meets them: for each member, bytes from its start to the two pixels;
// and their weights side by side.
template <int kMembers>
struct RowGroup {
  HWY_ALIGN std::int32_t at[kMembers][kGroup];
  HWY_ALIGN float weights[2 * kGroup];
};

// Path of one member of a family through the image.
struct Member {
  const float* start[2];     // pixels 0 and 1 of the band's row 0; if not split, as one pair
  const float* opposite[2];  // those opposite in the image
  float* out;                // ray 0
  int turned;                // 1 if ray and opposite ray have changed places
  Spread spread;
  VI dx;                                   // bytes from one pixel of a row to the next
  HWY_ALIGN std::int32_t down[kPairRows];  // bytes from row 0 to the others

  void set(const PairForwardJob& job, const Orientation& o, bool split) {
    const FrameSteps steps = frame_steps(job.plan->geometry(), o, job.x.row_stride, kPairColumns);
    start[0] = job.x.data + steps.start;
    opposite[0] = job.x.data + steps.opposite;
    std::ptrdiff_t step = steps.dx;
    std::ptrdiff_t row_step = steps.dy;
    // Takes the one of two opposite rays that runs forwards in memory, so that all members can use
    // the same vectors of weights.
    turned = !split && job.centred && step < 0 ? 1 : 0;
    if (turned == 1) {
      std::swap(start[0], opposite[0]);
      step = -step;
      row_step = -row_step;
    }
    start[0] += job.rows.begin * row_step;
    opposite[0] -= job.rows.begin * row_step;
    start[1] = start[0] + step;
    opposite[1] = opposite[0] - step;
    const bool backwards = !split && step < 0;
    spread = backwards ? make_spread(true) : make_spread(false);
    if (!split) {  // from the lower address on
      start[0] = std::min(start[0], start[1]);
      opposite[0] = std::min(opposite[0], opposite[1]);
    }
    set_steps(job.rows.end - job.rows.begin, step, row_step);
  }

  void set_steps(int height, std::ptrdiff_t step, std::ptrdiff_t row_step) {
    constexpr std::ptrdiff_t kBytes = sizeof(float);
    dx = hn::Set(DI(), static_cast<std::int32_t>(kBytes * step));
    for (int r = 0; r < kPairRows; ++r) {  // a row that is not there is read as the last one
      down[r] = static_cast<std::int32_t>(kBytes * row_step * std::min(r, height - 1));
    }
  }
};

template <bool kSplit>
HWY_INLINE V8 load_pair(const float* const (&pair)[2], std::ptrdiff_t bytes) {
  const D8 d;
  const hn::Half<D8> half;
  if constexpr (!kSplit) return load_at(d, pair[0], bytes);
  return hn::Combine(d, load_at(half, pair[1], bytes), load_at(half, pair[0], bytes));
}

// Members of a family in a band of rows.
template <int kMembers>
struct Walk {
  const Family* family;
  int width;
  int height;
  double origin;  // left end of ray 0 in the band's row 0
  Member members[kMembers];
  HWY_ALIGN float live[kPairRows];  // 1, or 0 for rows below the band

  void set(const PairForwardJob& job) {
    family = job.family;
    width = orientation(job, 0).width;
    height = job.rows.end - job.rows.begin;
    origin = family->start - 0.5 * family->tau + family->slope * job.rows.begin;
  }

  void set_members(const PairForwardJob& job, bool split) {
    const auto beamlets = static_cast<std::size_t>(job.plan->geometry().beamlets);
    for (int m = 0; m < kMembers; ++m) {
      const auto view = family->first_view + static_cast<std::size_t>(job.first_member + m);
      members[m].set(job, orientation(job, m), split);
      members[m].out = job.y + job.plan->strips().views()[view] * beamlets * job.y_stride;
    }
    for (int r = 0; r < kPairRows; ++r) live[r] = r < height ? 1.0f : 0.0f;
  }

  const Orientation& orientation(const PairForwardJob& job, int m) const {
    const int k = family->first_orientation + job.first_member + m;
    return job.plan->strips().orientations()[static_cast<std::size_t>(k)];
  }

  int groups() const { return (height + kGroup - 1) / kGroup; }

  double x(int ray) const { return origin + family->pitch * ray; }

  // First ray, among `rays`, that is right of x in row 0.
  int ray_after(double x, Range rays) const {
    return static_cast<int>(std::clamp((x - origin) / family->pitch + 1,
                                       static_cast<double>(rays.begin),
                                       static_cast<double>(rays.end)));
  }

  // Groups of rows in which a ray that starts at x meets the frame.
  Range groups_of(double x) const {
    const double inverse_slope = family->forward.inverse_slope;
    if (inverse_slope == 0) return {0, x < -1 || x >= width ? 0 : groups()};
    const double begin = std::clamp((-1 - x) * inverse_slope, 0.0, static_cast<double>(height));
    const double end =
        std::clamp((width - x) * inverse_slope + 1, begin, static_cast<double>(height));
    return {static_cast<int>(begin) / kGroup, (static_cast<int>(end) + kGroup - 1) / kGroup};
  }
};

// Weights of rows r, r + 1, .. With kEdges some may be outside of the frame.
template <bool kEdges, int kMembers>
HWY_INLINE void fill_rows(const RowWeights& weights, const Position& start,
                          const Walk<kMembers>& walk, int r, RowGroup<kMembers>& out) {
  TwoWeights w = weights.at<kEdges>(r, start);
  if constexpr (kEdges) {
    const V live = hn::Load(D(), walk.live + r);
    w.first = hn::Mul(live, w.first);
    w.second = hn::Mul(live, w.second);
  }
  for (int m = 0; m < kMembers; ++m) {
    const Member& member = walk.members[m];
    const VI across = hn::Mul(w.base, member.dx);
    hn::Store(hn::Add(across, hn::Load(DI(), member.down + r)), DI(), out.at[m]);
  }
  hn::StoreInterleaved2(w.first, w.second, D(), out.weights);
}

// Destinations of the sums of a ray and of the opposite one, in floats from ray 0.
struct RayOffsets {
  std::size_t at[2];
};

// Sums of one ray for all members, and with kCentred those of the opposite ray.
template <bool kCentred, int kMembers>
using RaySums = V8[kMembers * (kCentred ? 2 : 1)];

// Rows r and r + 1 of a group.
template <bool kCentred, bool kSplit, int kMembers>
HWY_INLINE void add_two_rows(const Walk<kMembers>& walk, const RowGroup<kMembers>& group, int r,
                             const Spread& forwards, const Spread& other,
                             RaySums<kCentred, kMembers>& sums) {
  const auto w = load_two(group.weights + 2 * r);
#pragma GCC unroll 2
  for (int m = 0; m < kMembers; ++m) {
    const Member& member = walk.members[m];
    const Spread& how = kCentred || kSplit ? forwards : member.spread;
    const TwoOffsets at = load_two(group.at[m] + r);
    sums[m] = hn::MulAdd(spread(w, how.first), load_pair<kSplit>(member.start, at.first), sums[m]);
    sums[m] =
        hn::MulAdd(spread(w, how.second), load_pair<kSplit>(member.start, at.second), sums[m]);
    if constexpr (kCentred) {
      V8& sum = sums[kMembers + m];
      sum = hn::MulAdd(spread(w, other.first), load_pair<kSplit>(member.opposite, -at.first), sum);
      sum =
          hn::MulAdd(spread(w, other.second), load_pair<kSplit>(member.opposite, -at.second), sum);
    }
  }
}

// One ray, and with kCentred the opposite one, through a range of groups of rows. A multiply-add
// must wait for the one before it, so the halves of the band, each with sums of its own, take
// turns.
template <bool kCentred, bool kSplit, int kMembers>
HWY_INLINE void forward_ray(const Walk<kMembers>& walk, const RowGroup<kMembers>* groups,
                            Range range, RayOffsets offsets) {
  constexpr int kSums = kMembers * (kCentred ? 2 : 1);
  constexpr int kHalf = kPairRows / kGroup / 2;
  RaySums<kCentred, kMembers> upper;
  RaySums<kCentred, kMembers> lower;
  for (int k = 0; k < kSums; ++k) upper[k] = lower[k] = hn::Zero(D8());
  const Spread forwards = make_spread(false);
  const Spread other = make_spread(!kSplit);
  int a = range.begin;
  const int a_end = std::min(range.end, kHalf);
  int b = std::max(range.begin, kHalf);
  for (; a < a_end && b < range.end; ++a, ++b) {
#pragma GCC unroll 8
    for (int r = 0; r < kGroup; r += 2) {
      add_two_rows<kCentred, kSplit>(walk, groups[a], r, forwards, other, upper);
      add_two_rows<kCentred, kSplit>(walk, groups[b], r, forwards, other, lower);
    }
  }
  for (; a < a_end; ++a) {
    for (int r = 0; r < kGroup; r += 2) {
      add_two_rows<kCentred, kSplit>(walk, groups[a], r, forwards, other, upper);
    }
  }
  for (; b < range.end; ++b) {
    for (int r = 0; r < kGroup; r += 2) {
      add_two_rows<kCentred, kSplit>(walk, groups[b], r, forwards, other, lower);
    }
  }
  for (int k = 0; k < kSums; ++k) {
    const Member& member = walk.members[k % kMembers];
    const int turned = k < kMembers ? member.turned : 1 - member.turned;
    add_one(member.out + offsets.at[turned], hn::Add(upper[k], lower[k]));
  }
}

// kInside: rays that are within the frame in all rows.
template <bool kInside, bool kCentred, bool kSplit, int kMembers>
HWY_INLINE void forward_rays(const Walk<kMembers>& walk, Range rays, const PairForwardJob& job) {
  const RowWeights weights(*walk.family, walk.width - 2);
  RowGroup<kMembers> groups[kPairRows / kGroup];
  const int last_ray = job.plan->geometry().beamlets - 1;
  for (int ray = rays.begin; ray < rays.end; ++ray) {
    const double x = walk.x(ray);
    const Position start = position(x);
    const Range range = kInside ? Range{0, walk.groups()} : walk.groups_of(x);
    int g = range.begin;
    if constexpr (kInside) {
      for (; g < walk.height / kGroup; ++g) {
        fill_rows<false>(weights, start, walk, g * kGroup, groups[g]);
      }
    }
    for (; g < range.end; ++g) fill_rows<true>(weights, start, walk, g * kGroup, groups[g]);
    const RayOffsets offsets{{static_cast<std::size_t>(ray) * job.y_stride,
                              static_cast<std::size_t>(last_ray - ray) * job.y_stride}};
    forward_ray<kCentred, kSplit>(walk, groups, range, offsets);
  }
}

template <bool kCentred, bool kSplit, int kMembers>
void forward_band(const PairForwardJob& job) {
  Walk<kMembers> walk;
  walk.set(job);
  const double drift = walk.family->slope * (walk.groups() * kGroup);
  const int begin = walk.ray_after(-2 - drift, job.rays);
  const int end = walk.ray_after(walk.width, job.rays);
  if (begin >= end) return;
  walk.set_members(job, kSplit);
  const int first_inside = walk.ray_after(0, {begin, end});
  const int end_inside = walk.ray_after(walk.width - 3 - drift, {first_inside, end});
  forward_rays<false, kCentred, kSplit>(walk, {begin, first_inside}, job);
  forward_rays<true, kCentred, kSplit>(walk, {first_inside, end_inside}, job);
  forward_rays<false, kCentred, kSplit>(walk, {end_inside, end}, job);
}

template <bool kCentred, bool kSplit>
void forward_members(const PairForwardJob& job) {
  if (job.members == 2) return forward_band<kCentred, kSplit, 2>(job);
  return forward_band<kCentred, kSplit, 1>(job);
}

inline void forward(const PairForwardJob& job) {
  bool split = false;
  for (int m = 0; m < job.members; ++m) {
    const int k = job.family->first_orientation + job.first_member + m;
    split |= job.plan->strips().orientations()[static_cast<std::size_t>(k)].transposed;
  }
  if (job.centred) {
    return split ? forward_members<true, true>(job) : forward_members<true, false>(job);
  }
  return split ? forward_members<false, true>(job) : forward_members<false, false>(job);
}

}  // namespace pair
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
