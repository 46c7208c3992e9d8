// Curves of long runs, with fewer points that show the same.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace firm {

// Which points of a curve to keep, ascending, at most `most` (which is at least 20): the first
// tenth of `most`, so that a logarithmic axis has its beginning; of the others, cut into stretches
// of equal length in rounds, the smallest and the largest of each, so that no peak is lost; and the
// last. A curve can be thinned again and again as it grows. What is not finite is not kept.
std::vector<std::size_t> thinned(std::span<const double> values, std::span<const long> rounds,
                                 std::size_t most);

}  // namespace firm
