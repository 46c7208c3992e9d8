// Timing on a machine that others use, too: the minimum of repeats.
#pragma once

#include <algorithm>
#include <chrono>

namespace firm {

// Shortest time of one call of `work`, in seconds. Repeats for about `budget` seconds, and at least
// three times; the first call, which warms up caches and pages, does not count.
template <typename Work>
double least_seconds(double budget, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  work();
  const auto start = Clock::now();
  double least = 1e300;
  for (int k = 0; k < 3 || seconds(Clock::now() - start) < budget; ++k) {
    const auto before = Clock::now();
    work();
    least = std::min(least, seconds(Clock::now() - before));
  }
  return least;
}

}  // namespace firm
