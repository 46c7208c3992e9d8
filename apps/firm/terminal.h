// What the verbs show to people.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "core/progress.h"
#include "core/timing.h"

namespace firm {

// "7.1 MiB".
std::string bytes_text(double bytes);

// "12:03", or "1:12:03".
std::string duration(double seconds);

// Progress on standard error, for work that takes longer than a second: one line that is redrawn on
// a terminal, a new line every few seconds elsewhere.
// Threads may share it.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Refers to this object.
  Progress callback();
  // Shows make() when it is time to.
  void show_text(const std::function<std::string()>& make);
  // Shows a line that stays, at once.
  void print_event(const std::string& text);

 private:
  std::mutex mutex_;
  bool terminal_;
  bool drawn_ = false;
  Stopwatch watch_;
  double next_ = 0;  // seconds on the watch
};

}  // namespace firm
