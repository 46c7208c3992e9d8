// The exact projection onto W, pixel by pixel.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace firm {

// Projects the values v of a pixel onto { w >= 0 : w_N = sum_{i<N} c_i w_i }:
//
//     w_i = (v_i + l c_i)_+ ,   w_N = v_N - l = sum_i c_i w_i
//
// where l is the root of phi(l) = v_N - l - sum_i c_i (v_i + l c_i)_+, which falls, is concave, and
// is linear between the break points -v_i / c_i. Sorting these gives l in O(N log N). Newton steps
// from the right reach the root's piece in at most N steps, and nearly always in one or two: they
// are taken for many pixels at once, and pixels that a few steps do not solve are sorted.
//
// Requires all c_i > 0. Holds scratch: use one per thread.
class PixelProjection {
 public:
  explicit PixelProjection(std::vector<double> c);

  static constexpr std::size_t kBatch = 64;

  // Replaces the values of kBatch pixels by their projections. Variable i of pixel k is at values[i
  // * kBatch + k]; v_N is the last variable.
  void project(std::span<double> values);

  // Returns the root l for one pixel, by sorting.
  double root_by_sorting(std::span<const double> v);

 private:
  struct Break {
    double at;
    std::size_t variable;
  };

  // phi(l) = value - slope l on the piece of each pixel's l.
  struct Pieces {
    double value[kBatch];
    double slope[kBatch];
  };

  bool newton_step(const double* values, Pieces& pieces) const;
  void sort_the_rest(const double* values, const Pieces& pieces);

  std::vector<double> c_;
  std::vector<Break> breaks_;
  std::vector<double> pixel_;
  double root_[kBatch] = {};
};

}  // namespace firm
