// What is left of a run, from how it has gone so far.
#pragma once

#include <cstddef>
#include <optional>

#include "solve/solver.h"

namespace firm {

struct TimeLeft {
  double seconds = 0;
  bool at_most = false;  // a limit says so; else it is an estimate
  double done = 0;       // part of the run that is behind, 0 to 1
};

// Times are seconds that the run has worked: pauses do not count.
class RemainingTime {
 public:
  struct Chunk {
    std::size_t number = 0;
    std::size_t of = 1;
    double most_seconds = 0;  // stop.seconds; 0: no limit
  };
  // A chunk begins, or an attempt of a federation begins anew.
  void start(const Chunk& chunk, double now);
  // After a round. Chunks that are to come are taken to be like those before. Nothing: not known.
  std::optional<TimeLeft> left(const RoundRecord& record, double now);
  const Chunk& chunk() const { return chunk_; }

 private:
  std::optional<TimeLeft> left_of_chunk(const RoundRecord& record) const;

  Chunk chunk_;
  bool begun_ = false;
  double chunk_start_ = 0;
  int solved_ = 0;    // chunks, since `first_start_`
  double spent_ = 0;  // on them
  double first_start_ = 0;
  int first_round_ = -1;  // a resumed run does not begin at round 0
  double first_time_ = 0;
  double per_round_ = 0;
};

}  // namespace firm
