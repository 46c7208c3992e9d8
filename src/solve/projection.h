// The exact projection onto W, one pixel at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace firm {

// Projects v, the values of one pixel, onto { w >= 0 : w_N = sum_{i<N} c_i w_i }, in O(N log N):
//
//     w_i = (v_i + l c_i)_+ ,   w_N = v_N - l = sum_i c_i w_i
//
// where l is the root of phi(l) = v_N - l - sum_i c_i (v_i + l c_i)_+, which falls and is linear
// between the break points -v_i / c_i. All c_i > 0. Holds scratch: one per thread.
//
// phi is concave, so Newton steps from the right reach the root's piece in at most N steps; nearly
// every pixel needs one or two. For those that need more the break points are sorted.
class PixelProjection {
 public:
  explicit PixelProjection(std::vector<double> c);

  // v has the c_i's variables first and v_N last; replaced by its projection.
  void project(std::span<double> v);

  // The root l, in either way.
  double root_by_sorting(std::span<const double> v);
  std::optional<double> root_by_newton(std::span<const double> v) const;

 private:
  std::vector<double> c_;
  struct Break {
    double at;
    std::size_t variable;
  };
  std::vector<Break> breaks_;
};

}  // namespace firm
