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
  for (std::ptrdiff_t x = 0; x < row.count; x += lanes) {
    V path = hn::Mul(own, hn::LoadU(d, row.mu + x));
    path = hn::MulAdd(before, hn::LoadU(d, row.sum + x - row.inner), path);
    path = hn::MulAdd(after, hn::LoadU(d, row.sum + x), path);
    hn::StoreU(path, d, row.path + x);
  }
  const V rest = hn::Set(d, 1 - row.fraction);
  const V fraction = hn::Set(d, row.fraction);
  for (std::ptrdiff_t x = -row.inner; x < row.count; x += lanes) {
    V sum = hn::MulAdd(rest, hn::LoadU(d, row.mu + x), hn::LoadU(d, row.sum + x));
    sum = hn::MulAdd(fraction, hn::LoadU(d, row.mu + x + row.inner), sum);
    hn::StoreU(sum, d, row.sum + x);
  }
}

inline void flat_row(const FlatRow& row) {
  const D d;
  const std::ptrdiff_t lanes = lane_count();
  const std::ptrdiff_t end = row.count + row.inner;
  const V half = hn::Set(d, row.half);
  const V rest = hn::Set(d, 1 - row.fraction);
  const V fraction = hn::Set(d, row.fraction);
  for (std::ptrdiff_t x = -row.inner; x < end; x += lanes) {
    V enter = hn::NegMulAdd(rest, hn::LoadU(d, row.total + x), hn::LoadU(d, row.in + x));
    enter = hn::NegMulAdd(fraction, hn::LoadU(d, row.total + x + row.inner), enter);
    hn::StoreU(enter, d, row.enter + x);
  }
  const V near = hn::Set(d, row.near);
  const V far = hn::Set(d, row.far);
  const float* enter = row.enter + row.from;
  for (std::ptrdiff_t x = 0; x < row.count; x += lanes) {
    const V both = hn::Add(hn::LoadU(d, row.total + x), hn::LoadU(d, row.total + x + row.inner));
    V path = hn::Mul(half, both);
    path = hn::MulAdd(near, hn::LoadU(d, enter + x), path);
    path = hn::MulAdd(far, hn::LoadU(d, enter + x + row.inner), path);
    hn::StoreU(path, d, row.path + x);
  }
  const V next_rest = hn::Set(d, 1 - row.next);
  const V next = hn::Set(d, row.next);
  for (std::ptrdiff_t x = -row.inner; x < end; x += lanes) {
    V out = hn::LoadU(d, row.enter + x - row.step);
    out = hn::MulAdd(next_rest, hn::LoadU(d, row.total + x), out);
    out = hn::MulAdd(next, hn::LoadU(d, row.total + x + row.inner), out);
    hn::StoreU(out, d, row.out + x);
  }
}

// ---- powers -----------------------------------------------------------------------------------

// 2^-path for path >= 0, else 1, within 3e-6 of it; exactly 1 for 0.
HWY_INLINE V power(V path) {
  const D d;
  const DI di;
  const V x = hn::Neg(hn::Min(hn::Max(path, hn::Zero(d)), hn::Set(d, 120.0f)));
  const VI whole = hn::NearestInt(x);
  const V f = hn::Sub(x, hn::ConvertTo(d, whole));  // -1/2 .. 1/2
  V p = hn::Set(d, 1.3333558e-3f);                  // ln(2)^k / k!
  p = hn::MulAdd(p, f, hn::Set(d, 9.6181291e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 5.5504109e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.4022651e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 6.9314718e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(whole)));
}

HWY_INLINE void store_fixed(V t, std::uint16_t* out) {
  const V units = hn::Mul(t, hn::Set(D(), static_cast<float>(kFullTransmittance)));
  hn::StoreU(hn::DemoteTo(DT(), hn::NearestInt(units)), DT(), out);
}

inline void add_power(const float* path, float weight, std::ptrdiff_t count, float* sum) {
  const D d;
  const V w = hn::Set(d, weight);
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    hn::StoreU(hn::MulAdd(w, power(hn::LoadU(d, path + x)), hn::LoadU(d, sum + x)), d, sum + x);
  }
}

inline void power_of_sum(const float* a, const float* b, std::ptrdiff_t count, std::uint16_t* out) {
  const D d;
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    store_fixed(power(hn::Add(hn::LoadU(d, a + x), hn::LoadU(d, b + x))), out + x);
  }
}

inline void times_power(const float* path, const float* factor, std::ptrdiff_t count,
                        std::uint16_t* out) {
  const D d;
  for (std::ptrdiff_t x = 0; x < count; x += lane_count()) {
    store_fixed(hn::Mul(power(hn::LoadU(d, path + x)), hn::LoadU(d, factor + x)), out + x);
  }
}

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
  return {&steep_row, &flat_row, &add_power, &power_of_sum, &times_power, &scale_tile, &spread_row};
}

}  // namespace transmit
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
