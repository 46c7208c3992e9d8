// TvSweep: the dual images of the total-variation prior, and inner steps on them.
//
// An inner step at row i needs rows i - 1 to i + 1 of the step before. So several steps go through
// the image together, each one row behind the step before it, and find their rows in the
// second-level cache: the memory traffic of many steps is that of one.
//
// Threads share an image as bands of rows. From row s to row e of a band, step k = 1..T first takes
// rows s + k to e - k, which need nothing of other bands. When all bands have done so, step k takes
// rows s - k to s + k around each boundary s. There it needs x of the row on either side, which the
// first pass has kept. Every value is computed once, by the same operations wherever boundaries
// are, so the result does not depend on the number of threads, nor on T.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "firm/buffer.h"
#include "solve/priors/tv_kernel.h"

namespace firm {

struct TvShape {
  std::size_t rows = 0;     // of the image
  std::size_t values = 0;   // of a row: its pixels x columns
  std::size_t columns = 0;  // of a pixel
  bool slices = false;      // also differences between slices

  int parts() const { return slices ? 3 : 2; }
};

// Rows of floats with zeros around them: a row before the first, and a pixel before each. Rows
// spread over all of the cache; `number` keeps fields apart there.
class TvField {
 public:
  TvField() = default;
  TvField(const TvShape& shape, std::size_t number);

  std::size_t stride() const { return stride_; }
  // Row -1 is zero.
  float* row(std::ptrdiff_t i) {
    return values_.data() + margin_ + i * static_cast<std::ptrdiff_t>(stride_);
  }
  const float* row(std::ptrdiff_t i) const {
    return values_.data() + margin_ + i * static_cast<std::ptrdiff_t>(stride_);
  }

 private:
  std::size_t stride_ = 0;
  std::size_t margin_ = 0;
  Buffer<float> values_;
};

class TvSweep {
 public:
  TvSweep(const TvShape& shape, const TvKernel& kernel, int threads);

  // p, |p| <= 1 at each value: one part for each kind of difference.
  const TvField& dual(int part) const { return duals_[current_][static_cast<std::size_t>(part)]; }
  TvField& dual(int part) { return duals_[current_][static_cast<std::size_t>(part)]; }

  // Takes `count` accelerated steps on p. `pattern` has values, columns, stride, step and the
  // pointers to patterns; `v` is the image.
  void run(const TvStepRow& pattern, const float* v, int count);

 private:
  // Steps that go through the image together.
  struct Group {
    const TvStepRow* pattern;
    const float* v;
    std::span<const float> momentum;
    std::size_t size() const { return momentum.size(); }
  };
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  void run_group(const Group& group);
  void run_band(const Group& group, std::size_t band);
  void run_boundary(const Group& group, std::size_t band);
  std::size_t band_begin(std::size_t band) const { return band * shape_.rows / bands_; }
  // Rows of a step in the first pass.
  Range rows_of(std::size_t step, std::size_t band) const;
  TvStepRow make_row(const Group& group, std::size_t step, std::ptrdiff_t i, float* x);
  // x of a step: while it passes through a band, and then of the row after its last there.
  float* x(std::size_t band, std::size_t step);
  // x of the first row of a step in a band.
  float* first_x(std::size_t band, std::size_t step);

  TvShape shape_;
  const TvFunctions* functions_;
  int threads_;
  std::size_t together_;  // most steps of a group
  std::size_t bands_;
  std::size_t current_ = 0;
  std::vector<TvField> duals_[2];
  std::size_t x_stride_;
  Buffer<float> x_;
};

}  // namespace firm
