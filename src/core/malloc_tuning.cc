#include "core/malloc_tuning.h"

#include <malloc.h>

namespace firm {
namespace {

constexpr int kLargestKept = 1 << 20;
constexpr int kMostKept = 1 << 23;
constexpr int kStep = 1 << 20;

}  // namespace

// If the C library refuses, the program is only slower.
void tune_malloc() {
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_ARENA_MAX, 1);
}

}  // namespace firm
