#include "tomo/strip/strip_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomo/pair/pair_kernel.cc"
#include <hwy/foreach_target.h>  // includes this file once for each target

#include "tomo/strip/strip_kernel_common-inl.h"
// After what it needs.
#include "tomo/wide/wide_weights-inl.h"
// After what it needs.
#if HWY_MAX_BYTES >= 32
#include "tomo/pair/pair_kernel-inl.h"
// After what they need.
#include "tomo/pair/pair_adjoint-inl.h"
#include "tomo/pair/pair_forward-inl.h"
#endif

#if HWY_ONCE
namespace firm {

PairFunctions pair_functions([[maybe_unused]] std::int64_t target) {
#if HWY_TARGETS & HWY_AVX3
  if (target == HWY_AVX3) return {&N_AVX3::pair::forward, &N_AVX3::pair::adjoint};
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == HWY_AVX2) return {&N_AVX2::pair::forward, &N_AVX2::pair::adjoint};
#endif
  return {};
}

}  // namespace firm
#endif  // HWY_ONCE
