// Packs images for a page: keeps as many values as fit into a given size, as base64.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace firm {

// How the values of a stack are reduced.
struct Packing {
  int bits = 32;                    // 32: float32; 16: integers k that stand for low + k * step
  std::size_t reduction = 1;        // each value is the mean of reduction x reduction values
  std::vector<std::size_t> slices;  // slices to keep, ascending
};

// Gives up precision, then slices (but not the middle one), then resolution, and no more than
// needed for `bytes`. `values` is the number of values of one slice over all stacks.
Packing choose_packing(std::size_t values, std::size_t slices, std::size_t bytes);

// One packed stack. Add all slices in order; only those to keep take memory.
class PackedValues {
 public:
  PackedValues(const Packing& packing, std::size_t rows, std::size_t columns);

  void add(std::size_t slice, std::span<const float> values);

  // After reduction.
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  int bits() const { return packing_.bits; }
  // Range and sum of squares of all slices, before reduction; ignore values that are not finite.
  float low() const { return low_; }
  float high() const { return high_; }
  double squares() const { return squares_; }

  // With 16 bits, k stands for base() + k * step(), and 65535 for NaN.
  double base() const;
  double step() const;
  // Values slice by slice and row by row, little-endian.
  std::string base64() const;

 private:
  std::vector<float> reduced(std::span<const float> values) const;

  Packing packing_;
  std::size_t full_rows_;
  std::size_t full_columns_;
  std::size_t rows_;
  std::size_t columns_;
  std::vector<float> kept_;
  float low_;
  float high_;
  double squares_ = 0;
};

std::string base64(std::span<const unsigned char> bytes);

}  // namespace firm
