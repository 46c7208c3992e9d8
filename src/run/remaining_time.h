// RemainingTime: estimates the remaining time of a run from its course so far.
#pragma once

#include <cstddef>
#include <optional>

#include "solve/solver.h"

namespace firm {

struct TimeLeft {
  double seconds = 0;
  bool at_most = false;  // upper bound from a limit; else an estimate
  double done = 0;       // finished part of the run, 0 to 1
};

// Times are seconds of work; pauses do not count.
class RemainingTime {
 public:
  struct Chunk {
    std::size_t number = 0;
    std::size_t of = 1;
    double most_seconds = 0;  // stop.seconds; 0: no limit
  };
  // Call when a chunk starts, or when a federation starts a new attempt.
  void start(const Chunk& chunk, double now);
  // Call after a round. Assumes that later chunks take as long as earlier ones. Empty: unknown.
  std::optional<TimeLeft> left(const RoundRecord& record, double now);
  const Chunk& chunk() const { return chunk_; }

 private:
  std::optional<TimeLeft> left_of_chunk(const RoundRecord& record) const;

  Chunk chunk_;
  bool begun_ = false;
  double chunk_start_ = 0;
  int solved_ = 0;    // chunks finished since `first_start_`
  double spent_ = 0;  // seconds spent on them
  double first_start_ = 0;
  int first_round_ = -1;  // a resumed run does not start at round 0
  double first_time_ = 0;
  double per_round_ = 0;
};

}  // namespace firm
