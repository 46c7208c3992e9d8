#include "tomo/strip/strip_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomo/attenuated/sweep_kernel.cc"
#include <hwy/foreach_target.h>  // includes this file once for each target

#include "tomo/strip/strip_kernel_common-inl.h"
// After what it needs.
#include "tomo/attenuated/sweep_kernel-inl.h"

#if HWY_ONCE
#include "firm/error.h"

namespace firm {

TransmitFunctions transmit_functions(std::int64_t target) {
#if HWY_TARGETS & HWY_AVX3
  if (target == HWY_AVX3) return N_AVX3::transmit::functions();
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == HWY_AVX2) return N_AVX2::transmit::functions();
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == HWY_SSE4) return N_SSE4::transmit::functions();
#endif
#if HWY_TARGETS & HWY_NEON
  if (target == HWY_NEON) return N_NEON::transmit::functions();
#endif
  check_failed("target is one of this build", __FILE__, __LINE__);
}

}  // namespace firm
#endif  // HWY_ONCE
