// Chromium without a window, whose tabs a benchmark opens and closes.
#pragma once

#include <string>

#include "child_process.h"

namespace firm {

class Browser {
 public:
  static bool installed();

  // Its profile, and what it prints, go below `directory`. Returns when it is ready.
  explicit Browser(const std::string& directory);

  // Shows the page in a new tab; its name.
  std::string open(const std::string& url);
  void close(const std::string& tab);
  // Of all of its processes, since they were started.
  double processor_seconds() const;

 private:
  ChildProcess process_;
  std::string address_;  // of its tools for developers
};

}  // namespace firm
