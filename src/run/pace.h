// How long a round takes, of the run or chunk that is under way.
#pragma once

#include <algorithm>

namespace firm {

class Pace {
 public:
  double seconds_per_round(int round, double seconds) {
    if (round <= last_) first_ = -1;  // a new chunk
    last_ = round;
    if (first_ < 0) {  // a resumed run does not begin at round 0
      first_ = round;
      start_ = seconds;
    }
    return (seconds - start_) / std::max(1, round - first_);
  }

 private:
  int first_ = -1;
  int last_ = -1;
  double start_ = 0;
};

}  // namespace firm
