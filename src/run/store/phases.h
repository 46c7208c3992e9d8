// Phases: durations of the successive parts of a run.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/timing.h"

namespace firm {

class Phases {
 public:
  // Ends a phase: adds the time since the previous phase ended to `name`.
  void end(const std::string& name) {
    const auto known = std::find_if(seconds_.begin(), seconds_.end(),
                                    [&](const auto& phase) { return phase.first == name; });
    if (known == seconds_.end()) {
      seconds_.emplace_back(name, watch_.seconds());
    } else {
      known->second += watch_.seconds();
    }
    watch_ = Stopwatch();
  }

  // Leaves the time since the previous phase out.
  void restart() { watch_ = Stopwatch(); }

  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }

 private:
  Stopwatch watch_;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace firm
