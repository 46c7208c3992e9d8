// The inner loops of the projector, one set for each vector instruction set (Highway).
//
// A *slot* is one column in one orientation. All slots of a family share their weights: a weight is
// computed once, used for every slot, and never stored. There are three kinds of kernel:
//   narrow  lanes are neighbouring rays or pixels; for few columns; slots are packed into scratch;
//   wide    lanes are columns, which lie side by side in a Block; for eight columns and more, or
//   four if
//           vectors have four lanes;
//   paired  lanes are four columns of two neighbouring pixels or rays; for exactly four columns,
//   and
//           vectors of eight lanes or more.
// Wide and paired kernels add up in the same order, so that a column has the same bytes in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tomo/attenuated/sweep_kernel.h"
#include "tomo/strip/strip_plan.h"
#include "tomo/wide/wide_plan.h"

namespace firm {

// Part of a frame, in pixels.
struct Tile {
  int x0;
  int y0;
  int width;
  int height;
};

struct Range {
  int begin;
  int end;
};

// ---- narrow -----------------------------------------------------------------------------------

inline constexpr int kNarrowSlots = 4;
inline constexpr int kNarrowBatch = 16;

// rays += A pixels for one family.
struct NarrowForwardJob {
  const StripPlan* plan;
  const Family* family;
  Tile tile;
  int slots;  // 1..kNarrowSlots
  const float*
      pixels;  // first slot, row 0, at the start of the margin; slots are kTileStride apart
  std::size_t row_stride;  // floats from one row to the next
  float* rays;             // first slot, ray 0; slots are plan->ray_stride() apart
};

// pixels += A^T rays, for families of the same orientations and the same number of weights.
struct NarrowAdjointJob {
  const StripPlan* plan;
  const Family* family;  // the first of them
  int families;          // at most kNarrowBatch
  bool adds;             // if not, pixels = A^T rays
  Tile tile;
  int slots;
  const float* rays;          // first family, first slot, ray 0; margins are zero
  std::size_t family_stride;  // floats from one family to the next
  float* pixels;              // first slot, row 0, at the start of the margin
  std::size_t row_stride;
  // T of the pixels of a tile of one row, for each family and slot; null: not attenuated.
  const std::uint16_t* const* transmittance = nullptr;
  std::ptrdiff_t transmittance_ahead = 0;  // elements to T that is read soon
};

inline constexpr int kTurnSide = 4;

// Copies part of an image of one column to a transposed frame: frame pixel (x, y) is in[x * dx +
// y], or, if reversed, in[x * dx - y].
struct NarrowTurnJob {
  const float* in;
  std::ptrdiff_t dx;
  bool reversed;
  int width;  // multiples of kTurnSide
  int height;
  float* out;
  std::size_t row_stride;
};

inline constexpr int kPatchRows = 32;
inline constexpr int kPatchColumns = 64;

// Where the pixels of a patch lie in the frame of one orientation: image rows or, if the frame is
// transposed, image columns. A line starts at the patch's first pixel; the others follow, or, if
// reversed, precede it. The last line is repeated kMaxLanes times.
struct FrameLines {
  const float* line[kPatchColumns + kMaxLanes];
  bool reversed;
};

// x = sum over orientations for a patch of the image and one column.
struct NarrowGatherJob {
  int rows;
  int columns;
  int upright;  // frames that are not transposed; they come first
  int transposed;
  const FrameLines* frames;
  float* x;
  std::size_t x_stride;
  std::size_t x_row_stride;
};

// ---- wide -------------------------------------------------------------------------------------

inline constexpr int kWideRows = 32;        // of a band of the forward projection
inline constexpr int kWideFamilies = 2;     // that take turns in it
inline constexpr int kWideTileHeight = 64;  // of the adjoint
inline constexpr int kWideBatch = 16;

// T in the wide layout (TransmittanceLayout), if the projection is attenuated.
struct WideTransmittance {
  const std::uint16_t* const* view = nullptr;  // for each angle; null: not attenuated
  int shift = 0;                               // blocks of 2^shift x 2^shift pixels
  std::ptrdiff_t stride = 0;                   // elements from one block to the next
  std::ptrdiff_t row_stride = 0;
  std::size_t column = 0;  // the first one of the job
};

// y += A x for families of the same orientations, and the rays that enter a band of their frame
// within a tile's width.
struct WideForwardJob {
  const WidePlan* plan;
  const Family* family;      // the first of them
  int families;              // at most kWideFamilies
  Tile tile;                 // height at most kWideRows; may begin left of the frame
  Range rays;                // with `centred`, also the opposite rays
  bool centred;              // only if the plan is
  int columns;               // one or two vectors, or 8
  const float* x;            // first column of pixel 0
  std::size_t x_stride;      // floats from one pixel to the next
  std::size_t x_row_stride;  // floats from one image row to the next
  float* y;                  // first column of ray 0
  std::size_t y_stride;      // floats from one ray to the next
  WideTransmittance transmittance;
};

// x += A^T y for pairs of the same number of members, and a part of the image.
struct WideAdjointJob {
  const WidePlan* plan;
  const AdjointPair* pair;
  int pairs;      // at most kWideBatch
  Tile tile;      // width at most kWideChunk
  bool opposite;  // for the pixels opposite in the image instead, by the same weights; only if the
                  // plan is centred
  int columns;
  const float* y;
  std::size_t y_stride;
  std::size_t y_view_stride;  // floats from one angle to the next
  float* x;
  std::size_t x_stride;
  WideTransmittance transmittance;
};

// ---- paired -----------------------------------------------------------------------------------

inline constexpr int kPairColumns = 4;

// Rows of a band. The members of a family visit two bands of the image at once. Where an image row
// takes a page of memory, these are as many pages as the first level of a processor's page table
// cache holds.
inline constexpr int kPairRows = 32;

// Four columns without gaps.
struct PairImage {
  const float* data;
  std::size_t row_stride;  // floats from one row to the next
};

// y += A x for some members of one family, a band of its frame and some rays.
struct PairForwardJob {
  const WidePlan* plan;
  const Family* family;
  int first_member;
  int members;   // 1 or 2
  Range rows;    // at most kPairRows
  Range rays;    // with `centred`, of the first half, and also the opposite rays
  bool centred;  // only if the plan is
  PairImage x;
  float* y;  // first column of ray 0
  std::size_t y_stride;
};

// x += A^T y for pairs of the same number of members, and a part of the image.
struct PairAdjointJob {
  const WidePlan* plan;
  const AdjointPair* pair;
  int pairs;       // at most kWideBatch
  Tile tile;       // width at most kWideChunk; with `centred`, in the upper half of the image, and
                   // also the opposite pixels
  bool centred;    // only if the plan is
  const float* y;  // rays without gaps
  std::size_t y_view_stride;
  float* x;  // pixels without gaps
  std::size_t x_row_stride;
};

// ---- kernels ----------------------------------------------------------------------------------

struct NarrowFunctions {
  int lanes;
  void (*forward)(const NarrowForwardJob&);
  void (*adjoint)(const NarrowAdjointJob&);
  void (*turn)(const NarrowTurnJob&);
  void (*gather)(const NarrowGatherJob&);
};

struct WideFunctions {
  void (*forward)(const WideForwardJob&);
  void (*adjoint)(const WideAdjointJob&);
};

struct PairFunctions {
  void (*forward)(const PairForwardJob&) = nullptr;  // null where vectors have less than 8 lanes
  void (*adjoint)(const PairAdjointJob&) = nullptr;
};

struct StripKernel {
  const char* name;  // "strip-avx2"
  NarrowFunctions narrow;
  WideFunctions wide;
  PairFunctions pair;
  TransmitFunctions transmit;

  int lanes() const { return narrow.lanes; }
};

// Kernels this processor can run, best first; the last is scalar_kernel().
const std::vector<const StripKernel*>& strip_kernels();

// One lane, on any processor.
const StripKernel& scalar_kernel();

// Functions compiled for one of Highway's targets. Both the build and the processor must have it.
NarrowFunctions narrow_functions(std::int64_t target);
WideFunctions wide_functions(std::int64_t target);
PairFunctions pair_functions(std::int64_t target);

}  // namespace firm
