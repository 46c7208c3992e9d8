// The inner loops of the total-variation prior, one set for each vector instruction set (Highway).
//
// A row of an image is `values` consecutive floats: the columns of its first pixel, those of the
// next one, ... The neighbour of a value in the next pixel is `columns` floats further, its
// neighbour in the next slice is the next float. So vectors run along a row whatever the number of
// columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firm {

// Differences: between image rows, between pixels of a row, between slices.
inline constexpr int kTvParts = 3;

// Row i of one inner step. All rows of a dual image are `stride` floats apart. Beside a row of the
// dual image of pixel differences, `columns` floats before its first value are 0; beside one of
// slice differences, one float. The rows before the first of the dual image of row differences are
// 0.
//
//     r      = p + momentum (p - q)
//     x(i+1) = max(v inverse - share G^T r, 0)
//     out(i) = projection of r(i) + step G x(i) onto the unit ball
struct TvStepRow {
  std::size_t values;
  std::size_t columns;
  std::size_t stride;
  float momentum;
  float step;
  const float* v;             // row i + 1
  const float* inverse;       // 1 / (prox step * lambda); 0 leaves the dual as it is
  const float* share;         // with slices: prox step relative to the largest of the variable
  float slice_scale;          // with slices: weight of a difference between slices
  const float* slice_weight;  // with slices: the same, but 0 in the last slice of a variable
  const float* p[kTvParts];   // row i, the duals of the last inner step
  const float* q[kTvParts];   // row i, the duals before that
  float* out[kTvParts];       // row i; may be q
  float* x;                   // x(i), `columns` floats longer than a row
  const float* next;          // x(i+1), where it is known
};

// Row i of the image: x = max(v - weight G^T p, 0), in place, where `moves` is not 0.
struct TvImageRow {
  std::size_t values;
  std::size_t columns;
  std::size_t stride;
  const float* weight;  // prox step * lambda
  const float* moves;
  float slice_scale;
  const float* p[kTvParts];
  float* x;
};

// Adds |G w| of one row to `sums`, `values` floats.
struct TvValueRow {
  std::size_t values;
  std::size_t columns;
  const float* w;
  const float* next;  // row i + 1; w itself in the last row
  const float* slice_weight;
  float* sums;
};

struct TvFunctions {
  void (*start)(const TvStepRow&);    // x(i+1)
  void (*advance)(const TvStepRow&);  // x(i+1) and out(i), given x(i)
  void (*close)(const TvStepRow&);    // out(i), given x(i) and next
  void (*image)(const TvImageRow&);
  void (*value)(const TvValueRow&);
};

struct TvKernel {
  const char* name;    // that of the projector's kernel for these instructions
  TvFunctions plane;   // differences within slices
  TvFunctions volume;  // also between slices
};

// Kernels this processor can run, best first; the last has one lane.
const std::vector<TvKernel>& tv_kernels();
// Returns a kernel by its name. "auto": the best, or the one that FIRM_KERNEL names, if there is
// one of that name.
const TvKernel& tv_kernel(const std::string& name);

TvKernel scalar_tv_kernel();

}  // namespace firm
