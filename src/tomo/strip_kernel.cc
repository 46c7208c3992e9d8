#include "tomo/strip_kernel.h"

// One kernel for each generation of processors that is still about; on older ones, one lane.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomo/strip_kernel.cc"
#include <hwy/foreach_target.h>  // includes this file once for each target, with the next line

#include "tomo/strip_kernel_common-inl.h"
//
#include "tomo/narrow_kernel-inl.h"
//
#include "tomo/wide_kernel-inl.h"

#if HWY_ONCE
#include <hwy/targets.h>

#include "tomo/strip_kernel_scalar.h"

namespace firm {
namespace {

std::vector<const StripKernel*> find_kernels() {
  std::vector<const StripKernel*> kernels;
  [[maybe_unused]] const auto supported = hwy::SupportedTargets();
#if HWY_TARGETS & HWY_AVX3
  static const StripKernel avx3 = N_AVX3::make_kernel("strip-avx512");
  if (supported & HWY_AVX3) kernels.push_back(&avx3);
#endif
#if HWY_TARGETS & HWY_AVX2
  static const StripKernel avx2 = N_AVX2::make_kernel("strip-avx2");
  if (supported & HWY_AVX2) kernels.push_back(&avx2);
#endif
#if HWY_TARGETS & HWY_SSE4
  static const StripKernel sse4 = N_SSE4::make_kernel("strip-sse4");
  if (supported & HWY_SSE4) kernels.push_back(&sse4);
#endif
#if HWY_TARGETS & HWY_NEON
  static const StripKernel neon = N_NEON::make_kernel("strip-neon");
  kernels.push_back(&neon);
#endif
  kernels.push_back(&scalar_kernel());
  return kernels;
}

}  // namespace

const std::vector<const StripKernel*>& strip_kernels() {
  static const std::vector<const StripKernel*> kernels = find_kernels();
  return kernels;
}

}  // namespace firm
#endif  // HWY_ONCE
