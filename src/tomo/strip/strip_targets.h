// Selects the instruction sets that the strip kernels are compiled for: AVX-512, AVX2, SSE4 or
// NEON. Include this before any header of Highway.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
