// ShardResult: the solution of a shard with what is needed to use it later or elsewhere. One format
// serves files (a finished shard of a run that goes on) and messages between processes.
#pragma once

#include <string>
#include <vector>

#include "io/files/image_file.h"
#include "run/shard/shard_rounds.h"
#include "run/store/run_output.h"

namespace firm {

struct ShardResult {
  Shard shard;
  Solution solution;                      // without images when these are in a file
  std::vector<Variable> variables;        // of the images: name, slot, measured, transmission
  std::vector<std::string> fingerprints;  // of the data of each site of the study; empty: elsewhere
  std::string identity;                   // what it is the result of
  std::string stop;                       // the stop rules under which it ended
  std::string history;                    // its lines, where it is a stage of its own
  ShardRounds rounds = ShardRounds();     // where it ran beside others

  const Summary& summary() const { return solution.summary; }
  bool converged() const { return summary().termination.converged; }
};

// As bytes, for another process.
std::string to_bytes(const std::vector<ShardResult>& results);
std::vector<ShardResult> results_from_bytes(const std::string& bytes);

// As a NeXus file of images like images.h5, so that finished slices can be looked at. Replaces the
// file once it is complete.
void write_result(const std::string& path, const ImageGrid& grid, const ShardResult& result);
// Without the images, which stay in the file. Throws firm::Error when the file is damaged.
ShardResult read_result(const std::string& path);

// The rules that only decide when to stop, as text: a shard that has not converged goes on under
// others.
std::string stop_text(const SolveOptions& options);

}  // namespace firm
