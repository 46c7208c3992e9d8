#include "tomo/strip/strip_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/priors/tv_kernel.cc"
#include <hwy/foreach_target.h>  // includes this file once for each target

#include "solve/priors/tv_kernel-inl.h"

#if HWY_ONCE
#include <hwy/targets.h>

#include <cstdlib>

#include "firm/error.h"

namespace firm {
namespace {

std::vector<TvKernel> find_kernels() {
  [[maybe_unused]] const std::int64_t usable = HWY_TARGETS & hwy::SupportedTargets();
  std::vector<TvKernel> kernels;
#if HWY_TARGETS & HWY_AVX3
  if ((usable & HWY_AVX3) != 0) {
    kernels.push_back(
        {"strip-avx512", N_AVX3::tv::functions<false>(), N_AVX3::tv::functions<true>()});
  }
#endif
#if HWY_TARGETS & HWY_AVX2
  if ((usable & HWY_AVX2) != 0) {
    kernels.push_back(
        {"strip-avx2", N_AVX2::tv::functions<false>(), N_AVX2::tv::functions<true>()});
  }
#endif
#if HWY_TARGETS & HWY_SSE4
  if ((usable & HWY_SSE4) != 0) {
    kernels.push_back(
        {"strip-sse4", N_SSE4::tv::functions<false>(), N_SSE4::tv::functions<true>()});
  }
#endif
#if HWY_TARGETS & HWY_NEON
  if ((usable & HWY_NEON) != 0) {
    kernels.push_back(
        {"strip-neon", N_NEON::tv::functions<false>(), N_NEON::tv::functions<true>()});
  }
#endif
  kernels.push_back(scalar_tv_kernel());
  return kernels;
}

}  // namespace

const std::vector<TvKernel>& tv_kernels() {
  static const std::vector<TvKernel> kernels = find_kernels();
  return kernels;
}

const TvKernel& tv_kernel(const std::string& name) {
  const char* forced = std::getenv("FIRM_KERNEL");
  const std::string wanted = name == "auto" && forced != nullptr ? forced : name;
  for (const TvKernel& kernel : tv_kernels()) {
    if (wanted == kernel.name) return kernel;
  }
  FIRM_CHECK(name == "auto");
  return tv_kernels().front();
}

}  // namespace firm
#endif  // HWY_ONCE
