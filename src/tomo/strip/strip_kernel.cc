#include "tomo/strip/strip_kernel.h"

#include "tomo/strip/strip_targets.h"
// After what it needs.
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace firm {
namespace {

struct Target {
  std::int64_t bit;
  const char* name;
};

constexpr Target kTargets[] = {{HWY_AVX3, "strip-avx512"},
                               {HWY_AVX2, "strip-avx2"},
                               {HWY_SSE4, "strip-sse4"},
                               {HWY_NEON, "strip-neon"}};

std::vector<StripKernel> find_kernels() {
  const std::int64_t usable = HWY_TARGETS & hwy::SupportedTargets();
  std::vector<StripKernel> kernels;
  for (const Target& t : kTargets) {
    if ((usable & t.bit) == 0) continue;
    kernels.push_back({t.name, narrow_functions(t.bit), wide_functions(t.bit),
                       pair_functions(t.bit), transmit_functions(t.bit)});
  }
  return kernels;
}

}  // namespace

const std::vector<const StripKernel*>& strip_kernels() {
  static const std::vector<StripKernel> vectors = find_kernels();
  static const std::vector<const StripKernel*> all = [] {
    std::vector<const StripKernel*> list;
    for (const StripKernel& k : vectors) list.push_back(&k);
    list.push_back(&scalar_kernel());
    return list;
  }();
  return all;
}

}  // namespace firm
