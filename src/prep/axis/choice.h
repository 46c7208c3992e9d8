// Choice of slices and angles for estimates, and the jackknife over blocks of angles.
#pragma once

#include <cstddef>
#include <vector>

namespace firm {

// At most `most` of the numbers 0 .. count - 1, evenly spaced.
std::vector<std::size_t> some_of(std::size_t count, std::size_t most);

// At most `most` angles, sorted and evenly spaced.
std::vector<std::size_t> some_angles(const std::vector<double>& angles, std::size_t most);

// Standard deviation of an estimate, from the estimates without each of the blocks:
// sqrt((B - 1) / B sum (x_b - mean)^2).
double jackknife_deviation(const std::vector<double>& estimates);

}  // namespace firm
