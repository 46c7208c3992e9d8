// Code that all strip kernels share. Highway's foreach_target compiles it once for each instruction
// set, so there is no include guard here and in the files of the kernels.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tomo/strip/set_bits.h"
#include "tomo/strip/strip_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kMaxLanes>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;

// Asks for memory that is read soon, but not at once: it comes into the second-level cache, so that
// it does not push anything out of the first.
HWY_INLINE void prefetch_far([[maybe_unused]] const void* p) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  __builtin_prefetch(p, 0, 2);
#endif
}

HWY_INLINE int lane_count() { return static_cast<int>(hn::Lanes(D())); }

using VI = hn::Vec<DI>;

HWY_INLINE VI clamp_to(VI z, VI top) { return hn::Min(hn::Max(z, hn::Zero(DI())), top); }

struct Limits {
  std::int32_t low = std::numeric_limits<std::int32_t>::min();
  std::int32_t high = std::numeric_limits<std::int32_t>::max();
};

struct Position {
  VI whole;
  VI fraction;  // units of 2^-31
};

// Entries k, k + 1, .. of a table of positions, plus a position.
HWY_INLINE Position add_position(const SplitTable& table, int k, VI whole, VI fraction) {
  const DI di;
  const VI sum = hn::Add(hn::LoadU(di, table.fraction.data() + k), fraction);
  const VI carry = hn::ShiftRight<31>(sum);  // -1 if the fractions add up to one or more
  return {hn::Sub(hn::Add(hn::LoadU(di, table.whole.data() + k), whole), carry),
          hn::And(sum, hn::Set(di, 0x7fffffff))};
}

// The position x added to the entries [begin, end) of a table of positions (begin a multiple of the
// lane count): base = whole part + offset, kept within limits; phase = fraction >> shift.
HWY_INLINE void add_positions(const SplitTable& table, int begin, int end, double x, int offset,
                              Limits limits, int shift, std::int32_t* HWY_RESTRICT base,
                              std::int32_t* HWY_RESTRICT phase) {
  const DI di;
  const Split at = split(x);
  const VI whole = hn::Set(di, at.whole + offset);
  const VI fraction = hn::Set(di, at.fraction);
  const VI low = hn::Set(di, limits.low);
  const VI high = hn::Set(di, limits.high);
  for (int k = begin; k < end; k += lane_count()) {
    const Position p = add_position(table, k, whole, fraction);
    hn::StoreU(hn::Min(hn::Max(p.whole, low), high), di, base + k);
    hn::StoreU(hn::ShiftRightSame(p.fraction, shift), di, phase + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
