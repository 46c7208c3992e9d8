// The inner loops that make T and multiply by it, one set for each vector instruction set.
//
// A row has pixels, each with `inner` columns side by side. Kernels take `count` elements of it, a
// *chunk*: the buffers that all kernels of a chunk share stay in the first-level cache. Vectors may
// write a few elements more than a row has. Paths are in units in which T = 2^-path.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firm {

// T of 1; the unit is its reciprocal.
inline constexpr int kFullTransmittance = 1 << 15;

// Elements that a vector may read or write beyond the end of a row.
inline constexpr std::size_t kSweepSlack = 16;

// Elements of a chunk, at most; a multiple of any vector.
inline constexpr std::ptrdiff_t kSweepChunk = 512;

// Part of a row of a sweep whose rays go at least as far along the rows' normal as along the rows.
//   path[x] = before * sum[x - inner] + after * sum[x] + own * mu[x],  x = 0 .. count - 1
//   sum[x] += (1 - fraction) * mu[x] + fraction * mu[x + inner],       x = -edge .. count - 1
// mu is zero before and after the row. Chunks go from the last one to the first, because a chunk
// needs the sums before it as they were.
struct SteepRow {
  const float* mu;
  float* sum;
  float* path;
  std::ptrdiff_t count;
  std::ptrdiff_t inner;
  std::ptrdiff_t edge;  // inner in the first chunk, else 0
  float before;
  float after;
  float own;
  float fraction;
};

// Part of a row of a sweep whose rays go further along the rows. `total` is the sum of mu from the
// edge where rays enter to the left edge of pixel x, for x = -inner .. count + inner. `enter` is
// the path of the ray through (x + fraction) to the row, minus lerp(total, x, fraction); it is zero
// beyond the image. `next` is the fraction of the next row, which sees all rays `step` further.
//   path[x]  = near * enter[x + from] + far * enter[x + from + inner]
//              + half * (total[x] + total[x + inner]),                 x = 0 .. count - 1
//   leave[x] = enter[x - step] + lerp(total - next_total, x, next),    x = -edge .. end - 1
struct FlatRow {
  const float* total;
  const float* next_total;  // of the next row; null: there is none
  const float* enter;
  float* leave;  // `enter` of the next row
  float* path;
  std::ptrdiff_t count;
  std::ptrdiff_t inner;
  std::ptrdiff_t edge;  // inner in the first chunk, else 0
  std::ptrdiff_t end;   // count, in the last chunk inner more
  std::ptrdiff_t from;
  std::ptrdiff_t step;
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
  // Between numbers and units of 2^-15.
  void (*to_units)(const float* t, std::ptrdiff_t count, std::uint16_t* out);
  void (*from_units)(const std::uint16_t* units, std::ptrdiff_t count, float* t);
  // out = 2^-(a + b), in units. T goes past the caches: it is read long after it was made.
  void (*power_of_sum)(const float* a, const float* b, std::ptrdiff_t count, std::uint16_t* out);
  // out = factor * 2^-path, in units; past the caches.
  void (*times_power)(const float* path, const float* factor, std::ptrdiff_t count,
                      std::uint16_t* out);
  void (*flush)();                  // makes what went past the caches visible to other threads
  void (*scale)(const ScaleTile&);  // out = T * in
  // Repeats each T 2^shift times; writes at most kSpreadRow elements for a row of a tile.
  void (*spread)(const std::uint16_t* t, int shift, int pixels, std::uint16_t* out);
};

// Functions compiled for one of Highway's targets. Both the build and the processor must have it.
TransmitFunctions transmit_functions(std::int64_t target);

}  // namespace firm
