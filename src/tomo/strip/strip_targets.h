// The instruction sets for which strip kernels are compiled: one for each generation of processors
// that is still about. To be included before any header of Highway.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
