#include "paper/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <thread>

namespace firm::paper {
namespace {

class Workers {
 public:
  Workers(std::vector<Task> tasks, int threads, Results& results,
          const CampaignCallbacks& callbacks)
      : tasks_(std::move(tasks)),
        threads_(threads),
        results_(results),
        callbacks_(callbacks),
        fractions_(tasks_.size(), 0.0) {
    for (const Task& task : tasks_) total_ += task.cost;
  }

  void run() {
    // Tasks that run in parallel, the longest first.
    std::vector<std::size_t> shared;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (tasks_[k].timed) {
        work_on(k, threads_);
      } else {
        shared.push_back(k);
      }
    }
    std::stable_sort(shared.begin(), shared.end(),
                     [&](std::size_t a, std::size_t b) { return tasks_[a].cost > tasks_[b].cost; });
    run_in_parallel(shared);
  }

 private:
  void work_on(std::size_t k, int threads) {
    const auto watch = [this, k](double fraction) { return advance(k, fraction); };
    if (!watch(0)) throw Interrupted{};
    results_.put(tasks_[k].id, tasks_[k].work(threads, watch));
    const std::lock_guard lock(mutex_);
    count(k, 1);
    ++done_;
  }

  void count(std::size_t k, double fraction) {
    cost_ += (fraction - fractions_[k]) * tasks_[k].cost;
    fractions_[k] = fraction;
  }

  // Returns false when the work must stop.
  bool advance(std::size_t k, double fraction) {
    const std::lock_guard lock(mutex_);
    count(k, fraction);
    report(callbacks_.progress, fmt::format("{} of {} runs", done_, tasks_.size()), cost_ / total_);
    if (callbacks_.interrupted && callbacks_.interrupted()) failed_ = true;
    return !failed_;
  }

  // Index of the next task for a worker; tasks_.size() if there is none.
  std::size_t next_task(const std::vector<std::size_t>& queue) {
    const std::lock_guard lock(mutex_);
    return failed_ || next_ == queue.size() ? tasks_.size() : queue[next_++];
  }

  void run_in_parallel(const std::vector<std::size_t>& queue) {
    const auto worker = [&] {
      try {
        for (std::size_t k = next_task(queue); k < tasks_.size(); k = next_task(queue)) {
          work_on(k, 1);
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        if (!error_) error_ = std::current_exception();
      }
    };
    std::vector<std::jthread> workers;
    for (int t = 1; t < threads_; ++t) workers.emplace_back(worker);
    worker();
    workers.clear();
    if (error_) std::rethrow_exception(error_);
  }

  std::vector<Task> tasks_;
  int threads_;
  Results& results_;
  const CampaignCallbacks& callbacks_;
  double total_ = 0;

  std::mutex mutex_;
  std::vector<double> fractions_;  // progress of each task, 0 to 1
  double cost_ = 0;                // completed cost of all tasks
  std::size_t done_ = 0;
  std::size_t next_ = 0;
  bool failed_ = false;
  std::exception_ptr error_;
};

}  // namespace

Task make_task(const Trial& trial) {
  return {trial.id(), trial.cost(), trial.timed,
          [trial](int threads, const Watch& watch) { return to_json(run(trial, threads, watch)); }};
}

void run_tasks(std::vector<Task> tasks, int threads, Results& results,
               const CampaignCallbacks& callbacks) {
  std::set<std::string> seen;
  std::vector<Task> remaining;
  for (Task& task : tasks) {
    if (!seen.insert(task.id).second || results.has(task.id)) continue;
    remaining.push_back(std::move(task));
  }
  Workers(std::move(remaining), threads, results, callbacks).run();
}

}  // namespace firm::paper
