// Slices: a stack of images, read one by one from a Block, or from a file larger than memory.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/slice_range.h"
#include "firm/block.h"

namespace firm {

class Slices {
 public:
  // Fills `out`, row by row, with slice k.
  using Read = std::function<void(std::size_t k, std::span<float> out)>;

  Slices() = default;
  Slices(std::size_t pixels, std::size_t count, Read read)
      : pixels_(pixels), count_(count), read_(std::move(read)) {}
  // All or some columns of a block, which must outlive this object.
  Slices(const Block* block) : Slices(block, {0, block->columns()}) {}
  Slices(const Block* block, const SliceRange& columns)
      : Slices(block->rows(), columns.count, [=](std::size_t k, std::span<float> out) {
          for (std::size_t p = 0; p < out.size(); ++p) out[p] = (*block)(p, columns.first + k);
        }) {}

  std::size_t pixels() const { return pixels_; }
  std::size_t count() const { return count_; }
  // Pixels row by row. Throws firm::Error when a file is damaged. Not thread-safe.
  std::vector<float> slice(std::size_t k) const {
    std::vector<float> values(pixels_);
    read_(k, values);
    return values;
  }

 private:
  std::size_t pixels_ = 0;
  std::size_t count_ = 0;
  Read read_;
};

}  // namespace firm
