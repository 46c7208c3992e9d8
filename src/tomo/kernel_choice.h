// The kernel that a name of ProjectorOptions::kernel stands for.
#pragma once

#include <string>

#include "tomo/strip/strip_kernel.h"

namespace firm {

// "auto" follows the environment variable FIRM_KERNEL. Returns null for the reference. Throws
// firm::Error for a kernel this processor cannot run.
const StripKernel* choose_kernel(const std::string& name);

}  // namespace firm
