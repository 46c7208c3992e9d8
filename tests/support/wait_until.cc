#include "support/wait_until.h"

#include <chrono>
#include <thread>

#include "core/timing.h"

namespace firm {

bool wait_until(double seconds, const std::function<bool()>& condition) {
  const Stopwatch watch;
  while (!condition()) {
    if (watch.seconds() > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace firm
