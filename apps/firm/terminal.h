// Text for people: sizes, durations, a progress line.
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

// Progress on standard error, for work that takes longer than a second. A terminal shows one line
// that is redrawn; a file gets a new line every few seconds. Threads may share a ProgressLine.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The callback refers to this object.
  Progress callback();
  // Shows make() if enough time has passed since the last text.
  void show_text(const std::function<std::string()>& make);
  // Prints a line that stays.
  void print_event(const std::string& text);

 private:
  std::mutex mutex_;
  bool terminal_;
  bool drawn_ = false;
  Stopwatch watch_;
  double next_ = 0;  // seconds on the watch
};

}  // namespace firm
