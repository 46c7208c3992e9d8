// The strip kernels compiled for one lane.
#include "tomo/strip/strip_kernel.h"

#define HWY_COMPILE_ONLY_SCALAR
#include "tomo/strip/strip_kernel_common-inl.h"
// After what they need.
#include "tomo/attenuated/sweep_kernel-inl.h"
#include "tomo/narrow/narrow_turn-inl.h"
// After what it needs.
#include "tomo/narrow/narrow_kernel-inl.h"
#include "tomo/wide/wide_weights-inl.h"
// After what they need.
#include "tomo/wide/wide_adjoint-inl.h"
#include "tomo/wide/wide_rows-inl.h"
// After what it needs.
#include "tomo/wide/wide_forward-inl.h"
// After what it needs.
#include "tomo/wide/wide_kernel-inl.h"

namespace firm {

const StripKernel& scalar_kernel() {
  static const StripKernel kernel = {"strip-scalar",
                                     N_SCALAR::narrow::functions(),
                                     N_SCALAR::wide::functions(),
                                     {},
                                     N_SCALAR::transmit::functions()};
  return kernel;
}

}  // namespace firm
