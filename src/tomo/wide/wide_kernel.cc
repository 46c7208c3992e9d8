#include "tomo/strip/strip_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomo/wide/wide_kernel.cc"
#include <hwy/foreach_target.h>  // includes this file once for each target

#include "tomo/strip/strip_kernel_common-inl.h"
// After what it needs.
#include "tomo/wide/wide_weights-inl.h"
// After what they need.
#include "tomo/wide/wide_adjoint-inl.h"
#include "tomo/wide/wide_rows-inl.h"
// After what it needs.
#include "tomo/wide/wide_forward-inl.h"
// After what it needs.
#include "tomo/wide/wide_kernel-inl.h"

#if HWY_ONCE
#include "firm/error.h"

namespace firm {

WideFunctions wide_functions(std::int64_t target) {
#if HWY_TARGETS & HWY_AVX3
  if (target == HWY_AVX3) return N_AVX3::wide::functions();
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == HWY_AVX2) return N_AVX2::wide::functions();
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == HWY_SSE4) return N_SSE4::wide::functions();
#endif
#if HWY_TARGETS & HWY_NEON
  if (target == HWY_NEON) return N_NEON::wide::functions();
#endif
  check_failed("target is one of this build", __FILE__, __LINE__);
}

}  // namespace firm
#endif  // HWY_ONCE
