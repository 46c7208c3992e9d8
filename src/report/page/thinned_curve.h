// Thins the curves of long runs without losing their shape.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace firm {

// Returns the indices of the points to keep, ascending and at most `most`, which must be 20 or
// more. Keeps the first most / 10 points, for a logarithmic axis; then the smallest and the largest
// value of every interval, so that no peak is lost; and the last point. Intervals have equal length
// in rounds, so a curve can be thinned repeatedly as it grows. Drops values that are not finite.
std::vector<std::size_t> thinned(std::span<const double> values, std::span<const long> rounds,
                                 std::size_t most);

}  // namespace firm
