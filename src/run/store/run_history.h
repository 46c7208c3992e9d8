// RunHistory: writes history.jsonl of a stage, round by round, for shards that run side by side.
//
// While the stage runs, a line has the numbers of this process's shards. With several processes the
// numbers of the others are added at the end, so that no round waits for them.
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
    std::size_t shards = 1;  // shards of this process
    bool alone = true;       // no other process takes part
    // Number of the stage, if a run has several.
    std::optional<std::size_t> stage = {};
  };
  RunHistory(RunDirectory& directory, const RunCallbacks& callbacks, const Size& size);

  // Called by every shard at the end of a round, from its own thread. No shard starts the next
  // round before all have ended this one.
  void add(const Shard& shard, const std::vector<Variable>& variables, const RoundRecord& record,
           int limit);
  // Flushes buffered lines to disk. Throws firm::Error if the disk is full.
  void flush() { directory_.flush_history(); }
  // Rewrites the lines from round `first` on with the numbers of all shards, if other processes
  // have some of them.
  void complete(const std::vector<ShardResult>& results, int first);
  // Lines added so far, for a numbered stage.
  const std::string& lines() const { return lines_; }

 private:
  void write_line(int limit);

  RunDirectory& directory_;
  const RunCallbacks& callbacks_;
  const Size size_;
  std::mutex mutex_;
  MergedRound round_;                 // merged from the shards that have ended it
  std::size_t arrived_ = 0;           // number of these shards
  std::vector<RoundRecord> records_;  // for every round, the numbers that all shards share
  std::string lines_;
  Stopwatch watch_;
  double next_flush_ = 0;
};

}  // namespace firm
