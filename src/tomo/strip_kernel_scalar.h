// The strip kernel without vectors: the same code compiled for one lane.
#pragma once

#include "tomo/strip_kernel.h"

namespace firm {

const StripKernel& scalar_kernel();

}  // namespace firm
