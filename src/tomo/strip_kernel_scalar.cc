#include "tomo/strip_kernel_scalar.h"

#define HWY_COMPILE_ONLY_SCALAR
#include "tomo/strip_kernel_common-inl.h"
//
#include "tomo/narrow_kernel-inl.h"
//
#include "tomo/wide_kernel-inl.h"

namespace firm {

const StripKernel& scalar_kernel() {
  static const StripKernel kernel = N_SCALAR::make_kernel("strip-scalar");
  return kernel;
}

}  // namespace firm
