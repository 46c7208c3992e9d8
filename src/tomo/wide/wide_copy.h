// Copies of Blocks whose rows spread over all of the cache.
#pragma once

#include <cstddef>

#include "firm/block.h"
#include "firm/buffer.h"
#include "tomo/strip/strip_pass.h"

namespace firm {

// Whether rows of this many floats start at nearly the same place of a first-level cache, 4096
// bytes long, that is at most `distance` floats apart: then a few of them push each other out.
bool crowds(std::size_t row_floats, std::size_t distance);

// The least number of floats from `row` on that is an odd number of cache lines, so that rows
// spread over all of the cache.
std::size_t spread(std::size_t row);

// Copies some columns of a Block, without the others. Rows, of row_length pixels (or rays), are
// spread(row_length * columns.count) floats apart.
void copy_columns(const Block& from, ColumnRange columns, std::size_t row_length, int threads,
                  Buffer<float>& to);

void zero_rows(Block& block, ColumnRange columns, std::size_t begin, std::size_t end);

}  // namespace firm
