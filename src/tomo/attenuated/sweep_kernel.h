// The inner loops that make T and multiply by it, one set for each vector instruction set.
//
// A row has `count` elements: pixels, each with `inner` columns side by side. Vectors may write a
// few elements more than a row has. Paths are in units in which T = 2^-path.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firm {

// T of 1; the unit is its reciprocal.
inline constexpr int kFullTransmittance = 1 << 15;

// Elements that a vector may read or write beyond the end of a row.
inline constexpr std::size_t kSweepSlack = 16;

// One row of a sweep whose rays go at least as far along the rows' normal as along the rows.
//   path[x] = before * sum[x - inner] + after * sum[x] + own * mu[x]
//   sum[x] += (1 - fraction) * mu[x] + fraction * mu[x + inner],  x = -inner .. count - 1
// mu is zero before and after the row.
struct SteepRow {
  const float* mu;
  float* sum;
  float* path;
  std::ptrdiff_t count;
  std::ptrdiff_t inner;
  float before;
  float after;
  float own;
  float fraction;
};

// One row of a sweep whose rays go further along the rows. `total` is the sum of mu from the edge
// where rays enter to the left edge of pixel x, for x = -inner .. count + inner.
//   enter[x] = in[x] - lerp(total, x, fraction)                 x = -inner .. count
//   path[x]  = near * enter[x + from] + far * enter[x + from + inner] + half * (total[x] +
//              total[x + inner])                                x = 0 .. count - 1
//   out[x]   = enter[x - step] + lerp(total, x, next)           x = -inner .. count
// in, enter and out are zero beyond that.
struct FlatRow {
  const float* total;
  const float* in;
  float* enter;
  float* out;
  float* path;
  std::ptrdiff_t count;
  std::ptrdiff_t inner;
  std::ptrdiff_t from;
  std::ptrdiff_t step;
  float fraction;
  float next;
  float near;
  float far;
  float half;
};

// Elements of a row of a tile with each T repeated: a block that starts before it, and a vector of
// blocks that ends behind it.
inline constexpr int kSpreadRow = 256 + 4 + 4 * 16;

// Part of a tile of the narrow layout, in one slot.
struct ScaleTile {
  const std::uint16_t* transmittance;  // of the tile's first pixel
  std::size_t transmittance_stride;    // elements from one row of blocks to the next
  int shift;                           // blocks of 2^shift x 2^shift pixels
  int x_offset;                        // pixels of the first block that lie before the tile
  int y_offset;
  int width;  // pixels
  int height;
  const float* in;
  float* out;
  std::size_t row_stride;
};

struct TransmitFunctions {
  void (*steep_row)(const SteepRow&);
  void (*flat_row)(const FlatRow&);
  // sum += weight * 2^-path
  void (*add_power)(const float* path, float weight, std::ptrdiff_t count, float* sum);
  // out = 2^-(a + b), in units of 2^-15
  void (*power_of_sum)(const float* a, const float* b, std::ptrdiff_t count, std::uint16_t* out);
  // out = factor * 2^-path, in units of 2^-15
  void (*times_power)(const float* path, const float* factor, std::ptrdiff_t count,
                      std::uint16_t* out);
  void (*scale)(const ScaleTile&);  // out = T * in
  // Repeats each T 2^shift times; writes at most kSpreadRow elements for a row of a tile.
  void (*spread)(const std::uint16_t* t, int shift, int pixels, std::uint16_t* out);
};

// Functions compiled for one of Highway's targets. Both the build and the processor must have it.
TransmitFunctions transmit_functions(std::int64_t target);

}  // namespace firm
