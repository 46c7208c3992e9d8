// Progress: a callback by which long work reports how far it is.
#pragma once

#include <functional>
#include <string>

namespace firm {

// Called from the thread that does the work, with the name of the step and the fraction done, 0
// to 1. May be empty.
using Progress = std::function<void(const std::string& stage, double fraction)>;

inline void report(const Progress& progress, const std::string& stage, double fraction) {
  if (progress) progress(stage, fraction);
}

}  // namespace firm
