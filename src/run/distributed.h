// Agreement between the processes of a run, in addition to the sums of its solvers. All processes
// call these functions in the same order; with one process they cost nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "federation/transport/processes.h"
#include "firm/study.h"
#include "run/shard/shard_result.h"

namespace firm {

// Runs `work` in every process. If it throws firm::Error in one, that process rethrows it and the
// others throw NotThisProcess.
void do_together(Processes& processes, const std::function<void()>& work);

// Note on how the data of a site was read and prepared.
struct PreparationNote {
  std::size_t site = 0;
  std::string json;                // run_json.h
  std::vector<std::string> lines;  // for people
};
// Returns one note for each site, in their order, at process 0; none at the others.
std::vector<PreparationNote> gather_notes(const std::vector<PreparationNote>& own,
                                          Processes& processes);

// Exchanges which sites have weights, known only where the values are, and sets it in `study`.
void share_weighted(const std::vector<bool>& own, Processes& processes, Study& study);

// Returns the results of all shards of a stage at process 0, its own first; the other processes get
// their own results only.
std::vector<ShardResult> gather_results(std::vector<ShardResult> own, Processes& processes);

}  // namespace firm
