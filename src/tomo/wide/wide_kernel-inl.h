// The wide strip kernels, from run-time numbers to compiled ones. Compiled once for each
// instruction set, after wide_forward-inl.h and wide_adjoint-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace wide {

template <class DC, int kVectors>
void forward_rays(const WideForwardJob& job) {
  if (job.transmittance.view != nullptr) {
    if (job.centred) return forward_tile<DC, kVectors, true, true>(job);
    return forward_tile<DC, kVectors, false, true>(job);
  }
  if (job.centred) return forward_tile<DC, kVectors, true, false>(job);
  return forward_tile<DC, kVectors, false, false>(job);
}

template <class DC, int kVectors>
void adjoint_members(const WideAdjointJob& job) {
  if (job.transmittance.view != nullptr) {
    if (job.pair->members == 2) return adjoint_tile<DC, kVectors, 2, true>(job);
    return adjoint_tile<DC, kVectors, 1, true>(job);
  }
  if (job.pair->members == 2) return adjoint_tile<DC, kVectors, 2, false>(job);
  return adjoint_tile<DC, kVectors, 1, false>(job);
}

// Calls visit(tag, constant number of vectors) for a number of columns.
template <class Visit>
HWY_INLINE void visit_columns(int columns, const Visit& visit) {
  constexpr std::integral_constant<int, 1> kOne;
  constexpr std::integral_constant<int, 2> kTwo;
  if (columns == 2 * lane_count()) return visit(D(), kTwo);
  if (columns == lane_count()) return visit(D(), kOne);
  if constexpr (HWY_MAX_BYTES >= 64) {  // less than one vector: 8 of 16 lanes
    if (columns == 8) return visit(hn::CappedTag<float, 8>(), kOne);
  }
  HWY_ABORT("no wide kernel for %d columns", columns);
}

inline void forward(const WideForwardJob& job) {
  visit_columns(job.columns, [&](auto d, auto vectors) {
    forward_rays<decltype(d), decltype(vectors)::value>(job);
  });
}

inline void adjoint(const WideAdjointJob& job) {
  visit_columns(job.columns, [&](auto d, auto vectors) {
    adjoint_members<decltype(d), decltype(vectors)::value>(job);
  });
}

inline WideFunctions functions() { return {&forward, &adjoint}; }

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
