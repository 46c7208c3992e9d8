// ShardResult: the solution of a shard, with everything needed to use it later or in another
// process. One format serves files (a finished shard of a running run) and messages between
// processes.
#pragma once

#include <string>
#include <vector>

#include "io/files/image_file.h"
#include "run/shard/shard_rounds.h"
#include "run/store/run_output.h"

namespace firm {

struct ShardResult {
  Shard shard;
  Solution solution;                      // without images if these are in a file
  std::vector<Variable> variables;        // of the images: name, slot, measured, transmission
  std::vector<std::string> fingerprints;  // of each site's data; empty: data elsewhere
  std::string identity;                   // study, data and options it belongs to
  std::string stop;                       // the stop rules under which it ended
  std::string history;                    // history lines, if it is a stage by itself
  ShardRounds rounds = ShardRounds();     // if it ran beside others

  const Summary& summary() const { return solution.summary; }
  bool converged() const { return summary().termination.converged; }
};

// Converts a result to bytes and back, for another process.
std::string to_bytes(const std::vector<ShardResult>& results);
std::vector<ShardResult> results_from_bytes(const std::string& bytes);

// Writes a NeXus file of images like images.h5, so that finished slices can be viewed. Replaces an
// existing file only when the new one is complete.
void write_result(const std::string& path, const ImageGrid& grid, const ShardResult& result);
// Reads a result without its images, which stay in the file. Throws firm::Error if the file is
// damaged.
ShardResult read_result(const std::string& path);

// Formats the stop rules as text: a shard that has not converged can be resumed under other rules.
std::string stop_text(const SolveOptions& options);

}  // namespace firm
