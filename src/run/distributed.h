// Agreement between the processes of a run, beside the sums of its solvers. Each function is called
// by all processes in the same order; with one process they cost nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "federation/transport/processes.h"
#include "firm/study.h"
#include "run/shard/shard_result.h"

namespace firm {

// Does `work` in every process. If it throws firm::Error in one, that process throws it and the
// others NotThisProcess.
void do_together(Processes& processes, const std::function<void()>& work);

// How the data of a site was read and prepared.
struct PreparationNote {
  std::size_t site = 0;
  std::string json;                // run_json.h
  std::vector<std::string> lines;  // for people
};
// One for each site, in their order, at process 0; none at the others.
std::vector<PreparationNote> gather_notes(const std::vector<PreparationNote>& own,
                                          Processes& processes);

// Puts into `study` which sites have weights: only the process that has the values knows.
void share_weighted(const std::vector<bool>& own, Processes& processes, Study& study);

// The results of all shards of a stage at process 0, those of this process first; its own at the
// others.
std::vector<ShardResult> gather_results(std::vector<ShardResult> own, Processes& processes);

}  // namespace firm
