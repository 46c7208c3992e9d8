// Images for a page: as many values as fit into a file that a browser opens at once, as base64.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace firm {

// How a stack of slices is made to fit.
struct Packing {
  int bits = 32;                    // 32: float32; 16: whole numbers k, for low + k * step
  std::size_t reduction = 1;        // the mean of so many by so many values becomes one
  std::vector<std::size_t> slices;  // that are kept, ascending
};

// Gives up, in this order and no more than needed for `bytes`: digits, slices (the middle one
// stays), resolution. `values` of one slice, over all stacks.
Packing choose_packing(std::size_t values, std::size_t slices, std::size_t bytes);

// One stack; slices are added in order, all of them, and only those that are kept need room.
class PackedValues {
 public:
  PackedValues(const Packing& packing, std::size_t rows, std::size_t columns);

  void add(std::size_t slice, std::span<const float> values);

  // As they are in the page.
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  int bits() const { return packing_.bits; }
  // Of all slices, before reduction.
  float low() const { return low_; }
  float high() const { return high_; }
  double squares() const { return squares_; }  // sum of squares, likewise

  // A value k of 16 bits stands for base() + k * step(); the largest k for what is not a number.
  double base() const;
  double step() const;
  // Slice by slice, row by row; little-endian.
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
