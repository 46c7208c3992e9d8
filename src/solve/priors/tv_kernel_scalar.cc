// The loops of the total-variation prior compiled for one lane.
#define HWY_COMPILE_ONLY_SCALAR
#include "solve/priors/tv_kernel-inl.h"

namespace firm {

TvKernel scalar_tv_kernel() {
  return {"strip-scalar", N_SCALAR::tv::functions<false>(), N_SCALAR::tv::functions<true>()};
}

}  // namespace firm
