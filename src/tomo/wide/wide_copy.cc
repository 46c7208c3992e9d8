#include "tomo/wide/wide_copy.h"

#include <algorithm>

#include "core/parallel.h"

namespace firm {

bool crowds(std::size_t row_floats, std::size_t distance) {
  constexpr std::size_t kPage = 1024;
  const std::size_t rest = row_floats % kPage;
  return std::min(rest, kPage - rest) < distance;
}

std::size_t spread(std::size_t row) {
  constexpr std::size_t kCacheLine = 16;  // floats
  return ((row + kCacheLine - 1) / kCacheLine | 1) * kCacheLine;
}

void copy_columns(const Block& from, ColumnRange columns, std::size_t row_length, int threads,
                  Buffer<float>& to) {
  const std::size_t row_stride = spread(row_length * columns.count);
  parallel_for(from.rows() / row_length, threads, [&](std::size_t row) {
    const float* source = from.data() + row * row_length * from.columns() + columns.begin;
    float* target = to.data() + row * row_stride;
    for (std::size_t k = 0; k < row_length; ++k) {
      std::copy_n(source + k * from.columns(), columns.count, target + k * columns.count);
    }
  });
}

void zero_rows(Block& block, ColumnRange columns, std::size_t begin, std::size_t end) {
  if (columns.count == block.columns()) {
    std::fill_n(block.data() + begin * columns.count, (end - begin) * columns.count, 0.0f);
    return;
  }
  for (std::size_t row = begin; row < end; ++row) {
    std::fill_n(block.data() + row * block.columns() + columns.begin, columns.count, 0.0f);
  }
}

}  // namespace firm
