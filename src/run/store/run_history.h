// RunHistory: writes history.jsonl of a stage, round by round, for shards that run side by side.
//
// While the stage runs, a line has what the shards of this process know. With several processes it
// is completed at the end with what the others know, so that no round waits for them.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/timing.h"
#include "run/run_callbacks.h"
#include "run/shard/shard_result.h"
#include "run/store/run_directory.h"

namespace firm {

class RunHistory {
 public:
  struct Size {
    std::size_t shards = 1;  // of this process
    bool alone = true;       // there is no other process
    // Number of the stage, where a run has several.
    std::optional<std::size_t> stage = {};
  };
  RunHistory(RunDirectory& directory, const RunCallbacks& callbacks, const Size& size);

  // Called by every shard at the end of a round, from its own thread. None begins the next round
  // before all have ended this one.
  void add(const Shard& shard, const std::vector<Variable>& variables, const RoundRecord& record,
           int limit);
  // Writes to disk what is still in memory. Throws firm::Error when the disk is full.
  void flush() { directory_.flush_history(); }
  // Rewrites the lines from round `first` on with the numbers of all shards, where other processes
  // have some of them.
  void complete(const std::vector<ShardResult>& results, int first);
  // The lines added so far, of a numbered stage.
  const std::string& lines() const { return lines_; }

 private:
  void write_line(int limit);

  RunDirectory& directory_;
  const RunCallbacks& callbacks_;
  const Size size_;
  std::mutex mutex_;
  MergedRound round_;                 // of the shards that have ended it,
  std::size_t arrived_ = 0;           // which are so many
  std::vector<RoundRecord> records_;  // of every round, what is the same for all shards
  std::string lines_;
  Stopwatch watch_;
  double next_flush_ = 0;
};

}  // namespace firm
