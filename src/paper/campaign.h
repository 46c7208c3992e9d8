// Campaign: works through tasks, and leaves out those that have been done before.
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
  bool timed = false;  // runs alone, on all threads; the others share them, one each
  std::function<Json(int threads, const Watch& watch)> work;
};

Task make_task(const Trial& trial);

struct CampaignCallbacks {
  Progress progress;  // the part of the cost of what was left to do
  std::function<bool()> interrupted;
};

// Throws Interrupted; what was complete by then is kept.
void run_tasks(std::vector<Task> tasks, int threads, Results& results,
               const CampaignCallbacks& callbacks);

}  // namespace firm::paper
