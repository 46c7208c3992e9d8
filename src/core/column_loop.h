// ColumnLoop: element-wise work over Blocks of one shape, with sums per column.
//
// Rows are cut into pieces of fixed length and a sum is formed piece by piece, so that it does not
// depend on the number of threads. Within a piece values are visited `period()` at a time, a few
// whole rows, so that values per column become a short repeated pattern and compilers
// vectorise over values, however few columns there are. Takes all memory at construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel.h"

namespace firm {

class ColumnLoop {
 public:
  // `sums`: how many sums per column a body forms.
  ColumnLoop(std::size_t rows, std::size_t columns, std::size_t sums, int threads)
      : rows_(rows),
        columns_(columns),
        sums_(sums),
        threads_(threads),
        partial_(pieces() * sums * period()) {}

  std::size_t period() const { return kRowsTogether * columns_; }
  int threads() const { return threads_; }

  // One value per column, repeated to the length of a period.
  template <typename PerColumn>
  std::vector<float> pattern(const PerColumn& value) const {
    std::vector<float> repeated(period());
    for (std::size_t j = 0; j < period(); ++j) {
      repeated[j] = static_cast<float>(value(j % columns_));
    }
    return repeated;
  }

  // Calls body(k, j, sums) for all values: k is the value's index in a Block, j < period() its
  // place in a pattern; body adds to sums[j + s * period()], s = 0, 1, ...
  template <typename Body>
  void run(const Body& body) {
    const std::size_t step = period();
    const auto task = [&](std::size_t piece) {
      float* sums = partial_.data() + piece * sums_ * step;
      std::fill_n(sums, sums_ * step, 0.0f);
      const std::size_t last = std::min(rows_, (piece + 1) * kPieceRows) * columns_;
      for (std::size_t k = piece * kPieceRows * columns_; k < last; k += step) {
        const std::size_t n = std::min(step, last - k);
#pragma GCC ivdep
        for (std::size_t j = 0; j < n; ++j) body(k + j, j, sums);
      }
    };
    parallel_for(pieces(), threads_, task, Handout::kRanges);
  }

  // Sum s of a column in the last run.
  double sum(std::size_t s, std::size_t column) const {
    double total = 0;
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
      const float* lanes = partial_.data() + (piece * sums_ + s) * period();
      for (std::size_t j = column; j < period(); j += columns_) {
        total += static_cast<double>(lanes[j]);
      }
    }
    return total;
  }

  // Sum s over all columns.
  double total(std::size_t s) const {
    double all = 0;
    for (std::size_t c = 0; c < columns_; ++c) all += sum(s, c);
    return all;
  }

 private:
  static constexpr std::size_t kRowsTogether = 8;
  static constexpr std::size_t kPieceRows = 1024;

  std::size_t pieces() const { return (rows_ + kPieceRows - 1) / kPieceRows; }

  std::size_t rows_;
  std::size_t columns_;
  std::size_t sums_;
  int threads_;
  std::vector<float> partial_;
};

}  // namespace firm
