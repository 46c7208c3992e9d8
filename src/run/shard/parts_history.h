// PartsHistory: history.jsonl of a run in parts, at its first process.
//
// While the run goes on, a line has what the parts of this process know; at the end it gets what
// those of other processes do, so that no round waits for it.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/timing.h"
#include "run/shard/part_result.h"
#include "run/run_callbacks.h"
#include "run/store/run_directory.h"

namespace firm {

class PartsHistory {
 public:
  // `parts` of this process; `alone`: there is no other.
  PartsHistory(RunDirectory& directory, const RunCallbacks& callbacks, std::size_t parts,
               bool alone);

  // Lines of rounds before `round` are those of the run that is resumed.
  void open(int round);
  // Called by every part at the end of a round, from threads of their own; none begins the next
  // round before all have come to the end of this one.
  void keep(const Part& part, const std::vector<Variable>& variables, const RoundRecord& record,
            int limit);
  // With the results of all parts.
  void complete(const std::vector<PartResult>& results);

 private:
  void write_line(int limit);

  RunDirectory& directory_;
  const RunCallbacks& callbacks_;
  const std::size_t parts_;
  const bool alone_;
  int first_round_ = 0;
  std::mutex mutex_;
  JoinedRound round_;                 // of the parts that have come to its end,
  std::size_t arrived_ = 0;           // which are so many
  std::vector<RoundRecord> records_;  // of every round, what is the same for all parts
  Stopwatch watch_;
  double next_flush_ = 0;
};

}  // namespace firm
