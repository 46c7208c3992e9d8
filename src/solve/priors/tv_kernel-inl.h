// The loops of tv_kernel.h. Highway's foreach_target compiles this file once for each instruction
// set, so there is no include guard.
//
// An inner step reads p and q of two rows, of which the second stays in the cache for the next
// row, and v of one; it writes out over q. That is 7 floats of memory traffic per pixel with 2
// parts, 10 with 3, and less if the rows of several inner steps stay in the cache (tv_sweep.h).
#include <hwy/highway.h>

#include <cmath>

#include "solve/priors/tv_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace tv {

namespace hn = hwy::HWY_NAMESPACE;

// Larger values of v * inverse change nothing: the prior is then weaker than rounding. Their
// squares fit into a float.
constexpr float kLargest = 1e17f;

// Runs a body along a row: in full vectors, in vectors of four, one by one.
template <class Body>
HWY_INLINE void along(std::size_t values, const Body& body) {
  const hn::ScalableTag<float> full;
  const hn::CappedTag<float, 4> four;
  const hn::CappedTag<float, 1> one;
  std::size_t j = 0;
  for (; j + hn::Lanes(full) <= values; j += hn::Lanes(full)) body(full, j);
  for (; j + hn::Lanes(four) <= values; j += hn::Lanes(four)) body(four, j);
  for (; j < values; ++j) body(one, j);
}

// 1 / sqrt(square) to 7e-7, never above it but for rounding. Unlike the estimates of processors it
// has the same bits in vectors of any length. A first guess from the exponent, one step with the
// constants of Kadlec (2010), which leaves 6.5e-4, one step of Newton's method.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V reciprocal_root(D d, V square) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::ShiftRight<1>(hn::BitCast(di, square));
  const V guess = hn::BitCast(d, hn::Sub(hn::Set(di, 0x5F1FFFF9), bits));
  const V better = hn::Mul(hn::Mul(guess, hn::Set(d, 0.703952253f)),
                           hn::NegMulAdd(hn::Mul(square, guess), guess, hn::Set(d, 2.38924456f)));
  const V residual = hn::NegMulAdd(hn::Mul(square, better), better, hn::Set(d, 1.0f));
  return hn::MulAdd(hn::Mul(better, hn::Set(d, 0.5f)), residual, better);
}

// Values whose squares are too small for a normal float become 0. Ahead of what spreads from an
// edge there are many, and processors take a hundred times as long for them.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V without_tiny(D d, V value) {
  return hn::IfThenElseZero(hn::Gt(hn::Abs(value), hn::Set(d, 1e-18f)), value);
}

enum class Next { kStart, kCompute, kGiven };

template <bool kSlices, Next kNext>
struct StepBody {
  TvStepRow row;

  template <class D>
  HWY_INLINE hn::Vec<D> extrapolated(D d, int part, std::size_t at) const {
    const auto p = hn::LoadU(d, row.p[part] + at);
    const auto q = hn::LoadU(d, row.q[part] + at);
    return hn::MulAdd(hn::Set(d, row.momentum), hn::Sub(p, q), p);
  }

  // x(i+1), given the extrapolated row part of row i.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V next_x(D d, std::size_t j, V above, V inverse) const {
    const std::size_t k = j + row.stride;
    V adjoint = hn::Sub(above, extrapolated(d, 0, k));
    adjoint = hn::Add(adjoint, hn::Sub(extrapolated(d, 1, k - row.columns), extrapolated(d, 1, k)));
    if constexpr (kSlices) {
      // Needs no mask: the dual of the last slice is 0.
      adjoint = hn::MulAdd(hn::Set(d, row.slice_scale),
                           hn::Sub(extrapolated(d, 2, k - 1), extrapolated(d, 2, k)), adjoint);
      adjoint = hn::Mul(adjoint, hn::LoadU(d, row.share + j));
    }
    const V limit = hn::Set(d, kLargest);
    const V v = hn::Mul(hn::LoadU(d, row.v + j), inverse);
    return hn::Max(hn::Sub(hn::Min(hn::Max(v, hn::Neg(limit)), limit), adjoint), hn::Zero(d));
  }

  template <class D>
  HWY_INLINE void operator()(D d, std::size_t j) const {
    using V = hn::Vec<D>;
    const V inverse = hn::LoadU(d, row.inverse + j);
    const V r0 = extrapolated(d, 0, j);
    if constexpr (kNext == Next::kStart) {
      hn::StoreU(next_x(d, j, r0, inverse), d, row.x + j);
      return;
    }
    const V x = hn::LoadU(d, row.x + j);
    const V right = hn::LoadU(d, row.x + j + row.columns);
    const V step = hn::Set(d, row.step);
    V below;
    if constexpr (kNext == Next::kCompute) {
      below = next_x(d, j, r0, inverse);
    } else {
      below = hn::LoadU(d, row.next + j);
    }
    const V a = without_tiny(d, hn::MulAdd(step, hn::Sub(below, x), r0));
    const V b = without_tiny(d, hn::MulAdd(step, hn::Sub(right, x), extrapolated(d, 1, j)));
    V square = hn::MulAdd(a, a, hn::Mul(b, b));
    V c = hn::Zero(d);
    if constexpr (kSlices) {
      const V deeper = hn::LoadU(d, row.x + j + 1);
      const V weighted = hn::Mul(step, hn::LoadU(d, row.slice_weight + j));
      c = without_tiny(d, hn::MulAdd(weighted, hn::Sub(deeper, x), extrapolated(d, 2, j)));
      square = hn::MulAdd(c, c, square);
    }
    // Most pixels are flat and their p is inside the ball.
    V factor = hn::Set(d, 1.0f);
    const auto outside = hn::Gt(square, factor);
    if (!hn::AllFalse(d, outside)) {
      factor = hn::IfThenElse(outside, reciprocal_root(d, square), factor);
    }
    const auto moves = hn::Gt(inverse, hn::Zero(d));
    put(d, moves, hn::Mul(a, factor), 0, j);
    put(d, moves, hn::Mul(b, factor), 1, j);
    if constexpr (kSlices) put(d, moves, hn::Mul(c, factor), 2, j);
    if constexpr (kNext == Next::kCompute) hn::StoreU(below, d, row.x + j);
  }

  template <class D>
  HWY_INLINE void put(D d, hn::Mask<D> moves, hn::Vec<D> value, int part, std::size_t j) const {
    const auto old = hn::LoadU(d, row.p[part] + j);
    hn::StoreU(hn::IfThenElse(moves, value, old), d, row.out[part] + j);
  }
};

template <bool kSlices, Next kNext>
HWY_INLINE void run_step(const TvStepRow& row) {
  along(row.values, StepBody<kSlices, kNext>{row});
  if constexpr (kNext == Next::kGiven) return;
  // Beyond the last pixel x goes on unchanged, so that the difference there is 0.
  float* end = row.x + row.values;
  for (std::size_t c = 0; c < row.columns; ++c) end[c] = (end - row.columns)[c];
}

template <bool kSlices>
struct ImageBody {
  TvImageRow row;

  template <class D>
  HWY_INLINE void operator()(D d, std::size_t j) const {
    using V = hn::Vec<D>;
    const auto at = [&](int part, std::size_t before)
                        HWY_ATTR { return hn::LoadU(d, row.p[part] + j - before); };
    V adjoint = hn::Sub(at(0, row.stride), at(0, 0));
    adjoint = hn::Add(adjoint, hn::Sub(at(1, row.columns), at(1, 0)));
    if constexpr (kSlices) {
      const V slices = hn::Sub(at(2, 1), at(2, 0));
      adjoint = hn::MulAdd(hn::Set(d, row.slice_scale), slices, adjoint);
    }
    const V v = hn::LoadU(d, row.x + j);
    const V weight = hn::LoadU(d, row.weight + j);
    const V x = hn::Max(hn::NegMulAdd(weight, adjoint, v), hn::Zero(d));
    const auto moves = hn::Gt(hn::LoadU(d, row.moves + j), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(moves, x, v), d, row.x + j);
  }
};

template <bool kSlices>
struct ValueBody {
  TvValueRow row;

  template <class D>
  HWY_INLINE void operator()(D d, std::size_t j) const {
    using V = hn::Vec<D>;
    const V w = hn::LoadU(d, row.w + j);
    const V a = hn::Sub(hn::LoadU(d, row.next + j), w);
    const V b = hn::Sub(hn::LoadU(d, row.w + j + row.columns), w);
    V square = hn::MulAdd(a, a, hn::Mul(b, b));
    if constexpr (kSlices) {
      const V c =
          hn::Mul(hn::LoadU(d, row.slice_weight + j), hn::Sub(hn::LoadU(d, row.w + j + 1), w));
      square = hn::MulAdd(c, c, square);
    }
    hn::StoreU(hn::Add(hn::LoadU(d, row.sums + j), hn::Sqrt(square)), d, row.sums + j);
  }
};

template <bool kSlices>
HWY_INLINE void run_value(const TvValueRow& row) {
  along(row.values - row.columns, ValueBody<kSlices>{row});
  // The last pixel has no right neighbour, and its last column may end the image.
  for (std::size_t j = row.values - row.columns; j < row.values; ++j) {
    const float a = row.next[j] - row.w[j];
    const bool deeper = kSlices && row.slice_weight[j] > 0;
    const float c = deeper ? row.slice_weight[j] * (row.w[j + 1] - row.w[j]) : 0.0f;
    row.sums[j] += std::sqrt(a * a + c * c);
  }
}

template <bool kSlices>
TvFunctions functions() {
  return {[](const TvStepRow& row) HWY_ATTR { run_step<kSlices, Next::kStart>(row); },
          [](const TvStepRow& row) HWY_ATTR { run_step<kSlices, Next::kCompute>(row); },
          [](const TvStepRow& row) HWY_ATTR { run_step<kSlices, Next::kGiven>(row); },
          [](const TvImageRow& row) HWY_ATTR { along(row.values, ImageBody<kSlices>{row}); },
          [](const TvValueRow& row) HWY_ATTR { run_value<kSlices>(row); }};
}

}  // namespace tv
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
