// What the verbs show to people.
#pragma once

#include <chrono>
#include <string>

#include "core/progress.h"

namespace firm {

// "7.1 MiB".
std::string bytes_text(double bytes);

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Progress on standard error, for work that takes longer than a second: one line that is redrawn on
// a terminal, a new line every few seconds elsewhere.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Refers to this object.
  Progress callback();

 private:
  void show(const std::string& stage, double fraction);

  bool terminal_;
  bool drawn_ = false;
  Stopwatch watch_;
  double next_ = 0;  // seconds on the watch
};

}  // namespace firm
