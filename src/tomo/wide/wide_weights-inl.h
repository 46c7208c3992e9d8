// Weights of the wide and the paired kernels, many rows or pixels at once (lanes). Compiled once
// for each instruction set, after strip_kernel_common-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {

// For each lane, the weights of pixels (or rays) base and base + 1.
struct TwoWeights {
  VI base;
  V first;
  V second;
};

HWY_INLINE Position position(double x) {
  const Split at = split(x);
  return {hn::Set(DI(), at.whole), hn::Set(DI(), at.fraction)};
}

// Keeps base within 0..last. At base -1 only the second exists, at last + 1 only the first; beyond,
// an existing one is read with weight zero.
HWY_INLINE TwoWeights within(const TwoWeights& w, VI last) {
  const D d;
  const DI di;
  const VI base = clamp_to(w.base, last);
  const auto same = hn::RebindMask(d, hn::Eq(base, w.base));
  const auto before = hn::RebindMask(d, hn::Eq(w.base, hn::Set(di, -1)));
  const auto after = hn::RebindMask(d, hn::Eq(w.base, hn::Add(last, hn::Set(di, 1))));
  return {base, hn::IfThenElse(same, w.first, hn::IfThenElseZero(before, w.second)),
          hn::IfThenElse(same, w.second, hn::IfThenElseZero(after, w.first))};
}

// Weights of the two pixels that a ray meets in each row of a tile:
//   second = clamp(fraction + tau - 1, 0, tau) / tau,
//   first = 1 - second,
// both times the length in a row (RowShare). x: left end of the ray in the tile's row 0.
class RowWeights {
 public:
  HWY_INLINE RowWeights(const Family& f, int last_base)
      : table_(f.rows),
        tau_(hn::Set(DI(), f.share.tau)),
        threshold_(hn::Set(DI(), f.share.threshold)),
        scale_(hn::Set(D(), f.share.scale)),
        length_(hn::Set(D(), static_cast<float>(f.length))),
        last_(hn::Set(DI(), last_base)) {}

  // Rows r, r + 1, .. With kEdges, where one of the two pixels is missing at the frame's edges, its
  // neighbour takes its place.
  template <bool kEdges>
  HWY_INLINE TwoWeights at(int r, const Position& x) const {
    const D d;
    const Position p = add_position(table_, r, x.whole, x.fraction);
    const VI part = clamp_to(hn::Sub(p.fraction, threshold_), tau_);
    const V right = hn::Mul(scale_, hn::ConvertTo(d, part));
    const V left = hn::Sub(length_, right);
    const TwoWeights w = {p.whole, left, right};
    if constexpr (!kEdges) return w;
    return within(w, last_);
  }

 private:
  const SplitTable& table_;
  VI tau_;
  VI threshold_;
  V scale_;
  V length_;
  VI last_;
};

// Weights of the two rays that reach each pixel of a row (AdjointPair). x: ray coordinate of the
// lower end of the first pixel's trapezoid.
class PixelWeights {
 public:
  HWY_INLINE PixelWeights(const AdjointPair& pair, double x, int last_base)
      : table_(pair.pixels),
        fall_first_(hn::Set(DI(), pair.fall_first)),
        fall_second_(hn::Set(DI(), pair.fall_second)),
        ramp_(hn::Set(DI(), pair.ramp)),
        scale_(hn::Set(D(), pair.scale)),
        last_(hn::Set(DI(), last_base)) {
    const Split at = split(x);
    whole_ = hn::Set(DI(), at.whole + 1);
    fraction_ = hn::Set(DI(), at.fraction);
  }

  // Pixels k, k + 1, .. With kEdges, beyond the detector's ends, a ray that exists is read with
  // weight zero.
  template <bool kEdges>
  HWY_INLINE TwoWeights at(int k) const {
    const D d;
    const DI di;
    const VI one = hn::Set(di, 1 << 30);
    const Position p = add_position(table_, k, whole_, fraction_);
    const VI f = hn::ShiftRight<1>(p.fraction);
    const VI rising_falling = hn::Min(hn::Sub(one, f), hn::Add(f, fall_first_));
    const V first = hn::Mul(scale_, hn::ConvertTo(d, clamp_to(rising_falling, ramp_)));
    const V second = hn::Mul(scale_, hn::ConvertTo(d, clamp_to(hn::Sub(f, fall_second_), ramp_)));
    const TwoWeights w = {p.whole, first, second};
    if constexpr (!kEdges) return w;
    return within(w, last_);
  }

 private:
  const SplitTable& table_;
  VI fall_first_;
  VI fall_second_;
  VI ramp_;
  V scale_;
  VI last_;
  VI whole_;
  VI fraction_;
};

// Weights times T, for one vector of columns. T is in units of 2^-15, and so is the weight; where T
// is 1, the product is exact.
template <class DC>
HWY_INLINE hn::Vec<DC> attenuate(hn::Vec<DC> weight, const std::uint16_t* t) {
  const hn::Rebind<std::uint16_t, DC> dt;
  const hn::RebindToSigned<DC> di;
  return hn::Mul(weight, hn::ConvertTo(DC(), hn::PromoteTo(di, hn::LoadU(dt, t))));
}

}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
