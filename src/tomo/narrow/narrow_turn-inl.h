// Copies the image to transposed frames, and adds up all frames into the image, in blocks of four
// by four pixels that are transposed in registers. Compiled once for each instruction set, after
// strip_kernel_common-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace narrow {

using DBlock = hn::CappedTag<float, 4>;
using VBlock = hn::Vec<DBlock>;
constexpr int kSide = static_cast<int>(hn::MaxLanes(DBlock()));
static_assert(kTurnSide % kSide == 0);

// Pixels at, at + 1, .. of a line; if reversed, it runs downwards in memory.
template <bool kReversed>
HWY_INLINE VBlock load_line(const float* line, std::ptrdiff_t at) {
  const DBlock d;
  if constexpr (kReversed) return hn::Reverse(d, hn::LoadU(d, line - at - (kSide - 1)));
  return hn::LoadU(d, line + at);
}

HWY_INLINE void transpose([[maybe_unused]] VBlock (&v)[kSide]) {
#if HWY_TARGET != HWY_SCALAR
  const DBlock d;
  const VBlock low02 = hn::InterleaveLower(d, v[0], v[2]);
  const VBlock low13 = hn::InterleaveLower(d, v[1], v[3]);
  const VBlock high02 = hn::InterleaveUpper(d, v[0], v[2]);
  const VBlock high13 = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, low02, low13);
  v[1] = hn::InterleaveUpper(d, low02, low13);
  v[2] = hn::InterleaveLower(d, high02, high13);
  v[3] = hn::InterleaveUpper(d, high02, high13);
#endif
}

// ---- image to frame ---------------------------------------------------------------------------

template <bool kReversed>
HWY_INLINE void turn_lines(const NarrowTurnJob& job) {
  constexpr int kSquare = 16;  // so that neither side thrashes the cache
  for (int yb = 0; yb < job.height; yb += kSquare) {
    for (int xb = 0; xb < job.width; xb += kSquare) {
      for (int y = yb; y < std::min(yb + kSquare, job.height); y += kSide) {
        for (int x = xb; x < std::min(xb + kSquare, job.width); x += kSide) {
          VBlock v[kSide];
          for (int k = 0; k < kSide; ++k) v[k] = load_line<kReversed>(job.in + (x + k) * job.dx, y);
          transpose(v);
          float* out = job.out + static_cast<std::size_t>(y) * job.row_stride + x;
          for (int k = 0; k < kSide; ++k) {
            hn::StoreU(v[k], DBlock(), out + static_cast<std::size_t>(k) * job.row_stride);
          }
        }
      }
    }
  }
}

inline void turn(const NarrowTurnJob& job) {
  if (job.reversed) return turn_lines<true>(job);
  return turn_lines<false>(job);
}

// ---- frames to image --------------------------------------------------------------------------

// sum[k] += pixels at, at + 1, .. of line first + k.
template <bool kReversed>
HWY_INLINE void add_lines(const FrameLines& f, int first, int at, VBlock (&sum)[kSide]) {
  for (int k = 0; k < kSide; ++k) {
    sum[k] = hn::Add(sum[k], load_line<kReversed>(f.line[first + k], at));
  }
}

HWY_INLINE void add_block(const FrameLines* frames, int count, int first, int at,
                          VBlock (&sum)[kSide]) {
  for (int f = 0; f < count; ++f) {
    if (frames[f].reversed) {
      add_lines<true>(frames[f], first, at, sum);
    } else {
      add_lines<false>(frames[f], first, at, sum);
    }
  }
}

HWY_INLINE void store_block(const VBlock (&sum)[kSide], const NarrowGatherJob& job, int i, int j) {
  const DBlock d;
  float* x = job.x + static_cast<std::size_t>(i) * job.x_row_stride +
             static_cast<std::size_t>(j) * job.x_stride;
  if (job.x_stride == 1 && i + kSide <= job.rows && j + kSide <= job.columns) {
    for (int k = 0; k < kSide; ++k) {
      hn::StoreU(sum[k], d, x + static_cast<std::size_t>(k) * job.x_row_stride);
    }
    return;
  }
  for (int k = 0; k < std::min(kSide, job.rows - i); ++k) {
    HWY_ALIGN float row[kSide];
    hn::Store(sum[k], d, row);
    for (int m = 0; m < std::min(kSide, job.columns - j); ++m) {
      x[static_cast<std::size_t>(k) * job.x_row_stride +
        static_cast<std::size_t>(m) * job.x_stride] = row[m];
    }
  }
}

inline void gather(const NarrowGatherJob& job) {
  const FrameLines* transposed = job.frames + job.upright;
  for (int j = 0; j < job.columns; j += kSide) {
    // Every line of a transposed frame is on other cache lines, which hardware does not prefetch.
    for (int f = 0; f < job.transposed; ++f) {
      for (int k = 0; k < kSide; ++k) {
        const float* line = transposed[f].line[std::min(j + kSide, job.columns - 1) + k];
        hwy::Prefetch(line);
        hwy::Prefetch(transposed[f].reversed ? line - job.rows / 2 : line + job.rows / 2);
      }
    }
    for (int i = 0; i < job.rows; i += kSide) {
      VBlock sum[kSide];
      VBlock across[kSide];
      for (int k = 0; k < kSide; ++k) sum[k] = across[k] = hn::Zero(DBlock());
      add_block(job.frames, job.upright, i, j, sum);
      add_block(transposed, job.transposed, j, i, across);
      transpose(across);
      for (int k = 0; k < kSide; ++k) sum[k] = hn::Add(sum[k], across[k]);
      store_block(sum, job, i, j);
    }
  }
}

}  // namespace narrow
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
