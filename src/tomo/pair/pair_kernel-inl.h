// Code that the two paired strip kernels share. They take exactly four columns, in vectors of
// eight, and are compiled once for each instruction set that has such vectors, after
// wide_weights-inl.h.
//
// In a row of the frame a ray meets two neighbouring pixels, and two neighbouring rays meet a
// pixel. If a Block has four columns, the two are eight consecutive floats: one load and one
// multiply-add by the weights (left x 4, right x 4). The two halves of the sum are added at the end
// of the ray (or the pixel).
//
// If the detector is centred (WidePlan), turning everything by half a turn takes ray j to ray
// beamlets - 1 - j of the same view, and a pixel to the one opposite: a weight serves both.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace pair {

using D8 = hn::CappedTag<float, 2 * kPairColumns>;
using V8 = hn::Vec<D8>;
using Bytes = hn::Repartition<std::uint8_t, D8>;

constexpr int kGroup = static_cast<int>(hn::MaxLanes(D()));  // weights that are one vector

// ---- tables -----------------------------------------------------------------------------------

// Loads two neighbouring weights, or offsets, at once: loads limit the speed.
HWY_INLINE hn::Vec<Bytes> load_two(const float* weights) {
  return hn::BitCast(Bytes(), hn::LoadDup128(D8(), weights));
}

struct TwoOffsets {
  std::ptrdiff_t first;
  std::ptrdiff_t second;
};

HWY_INLINE TwoOffsets load_two(const std::int32_t* offsets) {
  std::int64_t both;  // the first in the low half: there is no other byte order with AVX
  std::memcpy(&both, offsets, sizeof(both));
  return {static_cast<std::int32_t>(both), static_cast<std::ptrdiff_t>(both >> 32)};
}

// Offsets are in bytes: processors cannot scale by the size of a pixel, and not at all downwards.
template <class DF>
HWY_INLINE hn::Vec<DF> load_at(DF d, const float* start, std::ptrdiff_t bytes) {
  return hn::LoadU(d, reinterpret_cast<const float*>(reinterpret_cast<const char*>(start) + bytes));
}

// How to spread two pairs of weights, (a0, b0, a1, b1) in either half of a vector, to vectors for
// pixels (or rays) that lie in this order in memory, or in the opposite order.
struct Spread {
  hn::Vec<Bytes> first;   // a0 x 4, b0 x 4
  hn::Vec<Bytes> second;  // a1 x 4, b1 x 4
};

HWY_INLINE hn::Vec<Bytes> spread_bytes(int low, int high) {
  HWY_ALIGN std::uint8_t bytes[32];
  for (int k = 0; k < 32; ++k) {
    bytes[k] = static_cast<std::uint8_t>(4 * (k < 16 ? low : high) + k % 4);
  }
  return hn::Load(Bytes(), bytes);
}

HWY_INLINE Spread make_spread(bool opposite) {
  const int a = opposite ? 1 : 0;
  return {spread_bytes(a, 1 - a), spread_bytes(2 + a, 3 - a)};
}

HWY_INLINE V8 spread(hn::Vec<Bytes> weights, hn::Vec<Bytes> how) {
  return hn::BitCast(D8(), hn::TableLookupBytes(weights, how));
}

// ---- sums -------------------------------------------------------------------------------------

// out += sum of one ray or pixel.
HWY_INLINE void add_one(float* HWY_RESTRICT out, V8 sum) {
  const hn::Half<D8> d;
  const auto both = hn::Add(hn::LowerHalf(d, sum), hn::UpperHalf(d, sum));
  hn::StoreU(hn::Add(hn::LoadU(d, out), both), d, out);
}

// out += sums of two pixels, the first and the second in memory.
HWY_INLINE void add_two(float* HWY_RESTRICT out, V8 first, V8 second) {
  const D8 d;
  const V8 sum =
      hn::Add(hn::ConcatLowerLower(d, second, first), hn::ConcatUpperUpper(d, second, first));
  hn::StoreU(hn::Add(hn::LoadU(d, out), sum), d, out);
}

}  // namespace pair
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
