// Headless Chromium; benchmarks open and close its tabs.
#pragma once

#include <string>

#include "core/child_process.h"

namespace firm {

class Browser {
 public:
  static bool installed();

  // Keeps profile and output in `directory`. Returns when the browser is ready.
  explicit Browser(const std::string& directory);

  // Opens the page in a new tab; returns the id of the tab.
  std::string open(const std::string& url);
  void close(const std::string& tab);
  // Processor time of all its processes since they started.
  double processor_seconds() const;

 private:
  ChildProcess process_;
  std::string address_;  // of the DevTools server
};

}  // namespace firm
