// Stopwatch and repeated measurements.
#pragma once

#include <algorithm>
#include <chrono>

namespace firm {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Adds the time between its construction and destruction to a total.
class Timed {
 public:
  explicit Timed(double& total) : total_(total) {}
  ~Timed() { total_ += watch_.seconds(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& total_;
  Stopwatch watch_;
};

// Shortest time of one call of `work`, in seconds; on a shared machine the minimum is the most
// reliable number. Repeats for about `budget` seconds, and at least three times; the first call,
// which warms up caches and pages, does not count.
template <typename Work>
double least_seconds(double budget, const Work& work) {
  work();
  const Stopwatch total;
  double least = 1e300;
  for (int k = 0; k < 3 || total.seconds() < budget; ++k) {
    const Stopwatch one;
    work();
    least = std::min(least, one.seconds());
  }
  return least;
}

}  // namespace firm
