// Runs the tasks of `firm paper` that have no result yet.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "paper/results.h"

namespace firm::paper {

struct Task {
  std::string id;
  double cost = 1;
  bool timed = false;  // runs alone on all threads; other tasks run in parallel, on one thread each
  std::function<Json(int threads, const Watch& watch)> work;
};

Task make_task(const Trial& trial);

struct CampaignCallbacks {
  Progress progress;  // fraction of the total cost that is done
  std::function<bool()> interrupted;
};

// Throws Interrupted; keeps the results of tasks completed before that.
void run_tasks(std::vector<Task> tasks, int threads, Results& results,
               const CampaignCallbacks& callbacks);

}  // namespace firm::paper
