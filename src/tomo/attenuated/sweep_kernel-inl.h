// Rows of sweeps, powers of two, and products with T. Compiled once for each instruction set, after
// strip_kernel_common-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace transmit {

using DT = hn::Rebind<std::uint16_t, D>;

// ---- sweeps -----------------------------------------------------------------------------------

inline void steep_row(const SteepRow& row) {
  const D d;
  const std::ptrdiff_t lanes = lane_count();
  const V before = hn::Set(d, row.before);
  const V after = hn::Set(d, row.after);
  const V own = hn::Set(d, row.own);
  const float* mu = row.mu;
  const std::ptrdiff_t inner = row.inner;
  float* sum = row.sum;
  for (std::ptrdiff_t x = 0; x < row.count; x += lanes) {
    V path = hn::Mul(own, hn::LoadU(d, mu + x));
    path = hn::MulAdd(before, hn::LoadU(d, sum + x - inner), path);
    path = hn::MulAdd(after, hn::LoadU(d, sum + x), path);
    hn::StoreU(path, d, row.path + x);
  }
  const V rest = hn::Set(d, 1 - row.fraction);
  const V fraction = hn::Set(d, row.fraction);
  for (std::ptrdiff_t x = 0; x < row.count; x += lanes) {
    V after_row = hn::MulAdd(rest, hn::LoadU(d, mu + x), hn::LoadU(d, sum + x));
    after_row = hn::MulAdd(fraction, hn::LoadU(d, mu + x + inner), after_row);
    hn::StoreU(after_row, d, sum + x);
  }
  // mu is zero here.
  for (std::ptrdiff_t x = -row.edge; x < 0; ++x) sum[x] += row.fraction * mu[x + inner];
}

inline void flat_row(const FlatRow& row) {
  const D d;
  const std::ptrdiff_t lanes = lane_count();
  const std::ptrdiff_t inner = row.inner;
  const float* total = row.total;
  const V half = hn::Set(d, row.half);
  const V near = hn::Set(d, row.near);
  const V far = hn::Set(d, row.far);
  const float* from = row.enter + row.from;
  for (std::ptrdiff_t x = 0; x < row.count; x += lanes) {
    const V both = hn::Add(hn::LoadU(d, total + x), hn::LoadU(d, total + x + inner));
    V path = hn::Mul(half, both);
    path = hn::MulAdd(near, hn::LoadU(d, from + x), path);
    path = hn::MulAdd(far, hn::LoadU(d, from + x + inner), path);
    hn::StoreU(path, d, row.path + x);
  }
  if (row.next_total == nullptr) return;
  const float* next_total = row.next_total;
  const float* enter = row.enter - row.step;
  float* leave = row.leave;
  const V rest = hn::Set(d, 1 - row.next);
  const V next = hn::Set(d, row.next);
  for (std::ptrdiff_t x = -row.edge; x < row.end; x += lanes) {
    const V here = hn::Sub(hn::LoadU(d, total + x), hn::LoadU(d, next_total + x));
    const V right = hn::Sub(hn::LoadU(d, total + x + inner), hn::LoadU(d, next_total + x + inner));
    V sum = hn::MulAdd(rest, here, hn::LoadU(d, enter + x));
    sum = hn::MulAdd(next, right, sum);
    hn::StoreU(sum, d, leave + x);
  }
}

// ---- powers -----------------------------------------------------------------------------------

// scale * 2^-path for path >= 0, else scale, within 3e-6 of it; exactly scale for 0. `kScale` is a
// power of two.
template <int kScale>
HWY_INLINE V power(V path) {
  const D d;
  const DI di;
  constexpr auto kOne = static_cast<float>(kScale);
  // A float of this size has whole numbers as its last bits.
  const V whole_numbers = hn::Set(d, 12582912.0f);
  const V n = hn::Min(hn::Max(path, hn::Zero(d)), hn::Set(d, 100.0f));
  const V whole = hn::Sub(whole_numbers, n);
  const V f = hn::Sub(hn::Sub(whole_numbers, whole), n);  // -1/2 .. 1/2
  V p = hn::Set(d, kOne * 1.3333558e-3f);                 // ln(2)^k / k!
  p = hn::MulAdd(p, f, hn::Set(d, kOne * 9.6181291e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, kOne * 5.5504109e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, kOne * 2.4022651e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, kOne * 6.9314718e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, kOne));
  const VI exponent = hn::ShiftLeft<23>(hn::BitCast(di, whole));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

// Units as whole numbers, which are not negative.
HWY_INLINE hn::Vec<DT> rounded(V units) {
  const hn::RebindToUnsigned<D> du;
  const V last_bits = hn::Add(units, hn::Set(D(), 8388608.0f));
  return hn::TruncateTo(DT(), hn::BitCast(du, last_bits));
}

HWY_INLINE void store_past_caches(hn::Vec<DT> units, std::uint16_t* out) {
  if constexpr (hn::MaxLanes(DT()) * sizeof(std::uint16_t) >= 16) {
    hn::Stream(units, DT(), out);
  } else {
    hn::StoreU(units, DT(), out);
  }
}

inline void add_power(const float* path, float weight, std::ptrdiff_t count, float* sum) {
  const D d;
  const V w = hn::Set(d, weight);
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    hn::StoreU(hn::MulAdd(w, power<1>(hn::LoadU(d, path + x)), hn::LoadU(d, sum + x)), d, sum + x);
  }
}

inline void to_units(const float* t, std::ptrdiff_t count, std::uint16_t* out) {
  const D d;
  const V full = hn::Set(d, static_cast<float>(kFullTransmittance));
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    hn::StoreU(rounded(hn::Mul(full, hn::LoadU(d, t + x))), DT(), out + x);
  }
}

inline void from_units(const std::uint16_t* units, std::ptrdiff_t count, float* t) {
  const D d;
  const V unit = hn::Set(d, 1.0f / kFullTransmittance);
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    const V whole = hn::ConvertTo(d, hn::PromoteTo(DI(), hn::LoadU(DT(), units + x)));
    hn::StoreU(hn::Mul(unit, whole), d, t + x);
  }
}

inline void power_of_sum(const float* a, const float* b, std::ptrdiff_t count, std::uint16_t* out) {
  const D d;
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    const V path = hn::Add(hn::LoadU(d, a + x), hn::LoadU(d, b + x));
    store_past_caches(rounded(power<kFullTransmittance>(path)), out + x);
  }
}

inline void times_power(const float* path, const float* factor, std::ptrdiff_t count,
                        std::uint16_t* out) {
  const D d;
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    const V units = power<kFullTransmittance>(hn::LoadU(d, path + x));
    store_past_caches(rounded(hn::Mul(units, hn::LoadU(d, factor + x))), out + x);
  }
}

inline void flush() { hwy::FlushStream(); }

// ---- products ---------------------------------------------------------------------------------

// Repeats each T 2^shift times.
inline void spread_row(const std::uint16_t* t, int shift, int pixels, std::uint16_t* out) {
  const DT dt;
  const int lanes = lane_count();
  for (int x = 0; x < pixels; x += lanes << shift, t += lanes) {
    const auto units = hn::LoadU(dt, t);
    if (shift == 1) {
      hn::StoreInterleaved2(units, units, dt, out + x);
    } else {
      hn::StoreInterleaved4(units, units, units, units, dt, out + x);
    }
  }
}

// `ahead` is T of a row that follows soon: it comes from main memory.
HWY_INLINE void scale_row(const std::uint16_t* t, const std::uint16_t* ahead, const float* in,
                          int width, float* out) {
  const D d;
  const V unit = hn::Set(d, 1.0f / kFullTransmittance);
  for (int x = 0; x < width; x += lane_count()) {
    hwy::Prefetch(ahead + x);
    const V units = hn::ConvertTo(d, hn::PromoteTo(DI(), hn::LoadU(DT(), t + x)));
    hn::StoreU(hn::Mul(hn::Mul(unit, units), hn::LoadU(d, in + x)), d, out + x);
  }
}

inline void scale_tile(const ScaleTile& tile) {
  constexpr std::size_t kRowsAhead = 4;
  HWY_ALIGN std::uint16_t row[kSpreadRow];
  const float* in = tile.in;
  float* out = tile.out;
  int spread = -1;  // the row of blocks in `row`
  for (int r = 0; r < tile.height; ++r, in += tile.row_stride, out += tile.row_stride) {
    const int block = (r + tile.y_offset) >> tile.shift;
    const std::uint16_t* t =
        tile.transmittance + static_cast<std::size_t>(block) * tile.transmittance_stride;
    const std::uint16_t* ahead = t + kRowsAhead * tile.transmittance_stride;
    if (tile.shift == 0) {
      scale_row(t, ahead, in, tile.width, out);
      continue;
    }
    if (block != spread) spread_row(t, tile.shift, tile.width + tile.x_offset, row);
    spread = block;
    scale_row(row + tile.x_offset, ahead, in, tile.width, out);
  }
}

inline TransmitFunctions functions() {
  return {&steep_row,    &flat_row,    &add_power, &to_units,   &from_units,
          &power_of_sum, &times_power, &flush,     &scale_tile, &spread_row};
}

}  // namespace transmit
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
