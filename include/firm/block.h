// Block: a dense matrix of float with the columns innermost.
//
// A row is a pixel (of an image) or a ray (of a sinogram); a column is one slice of one site.
// Kernels process all columns of a row together, so tracing a ray once serves every slice of every
// site in this process.
#pragma once

#include <cstddef>
#include <span>

#include "firm/buffer.h"

namespace firm {

class Block {
 public:
  Block() = default;

  // Makes a Block with all entries zero.
  Block(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_(rows * columns) {}

  // Makes a Block of rows * columns floats of the caller, which must outlive it. They need no
  // alignment. A copy of the Block owns memory of its own.
  static Block view(float* values, std::size_t rows, std::size_t columns) {
    Block block;
    block.rows_ = rows;
    block.columns_ = columns;
    block.values_ = Buffer<float>::view(values, rows * columns);
    return block;
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return rows_ * columns_; }

  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }

  float& operator()(std::size_t row, std::size_t column) {
    return values_.data()[row * columns_ + column];
  }
  float operator()(std::size_t row, std::size_t column) const {
    return values_.data()[row * columns_ + column];
  }

  // View of all entries. Deleted for temporaries, because the view would dangle.
  std::span<float> values() & { return {data(), size()}; }
  std::span<const float> values() const& { return {data(), size()}; }
  std::span<const float> values() const&& = delete;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  Buffer<float> values_;
};

}  // namespace firm
