// StageRun: the shards of this process in one stage of a run, from data to solutions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/timing.h"
#include "federation/transport/local_exchange.h"
#include "federation/transport/processes.h"
#include "prep/study_data.h"
#include "run/distributed.h"
#include "run/run_callbacks.h"
#include "run/shard/absorption_merge.h"
#include "run/shard/shard_plan.h"
#include "run/shard/shard_solver.h"
#include "run/store/checkpoints.h"
#include "run/store/run_history.h"

namespace firm {

// Tells when the next checkpoint is due.
class CheckpointClock {
 public:
  bool due() {
    if (watch_.seconds() < kSeconds) return false;
    watch_ = Stopwatch();
    return true;
  }

 private:
  static constexpr double kSeconds = 30;
  Stopwatch watch_;
};

class StageRun {
 public:
  struct Setup {
    Processes& processes;
    const RunCallbacks& callbacks;
    StudyData& data;
    const Study& study;  // all slices
    const SolveOptions& options;
    std::string truth;  // file; empty: none
    bool separate = false;
    std::size_t most_absorption = 0;                 // ShardPlan::most_absorption
    std::function<bool()> set_up_interruption = {};  // ends set-up; empty: nothing does
  };
  // `of_process`: the shards of each process.
  StageRun(const Setup& setup, const std::vector<std::vector<Shard>>& of_process);

  // Reads and prepares the data of the shards. Throws firm::Error.
  void read();
  // Exchanges with the other processes which sites have weights and how data was prepared. All
  // processes call it.
  void share();
  // Notes for all sites, at process 0.
  const std::vector<PreparationNote>& notes() const { return notes_; }
  // Identity of a result of the stage, which must have one shard.
  const std::string& identity() const { return works_.front().solver->identity(); }

  // Makes the problems. Throws firm::Error.
  void build();
  // Sets where checkpoints go, and selects the one to resume from: the newest that all shards have.
  // `files`: one for each shard of this process.
  void use_checkpoints(std::vector<Checkpoints> files);
  // `round` 0: starts a new run. Throws firm::Error if the checkpoint is damaged or belongs to
  // another run.
  void resume_from(std::uint64_t round);
  // Number of finished rounds.
  int rounds() const { return start_round_; }

  // Names of the residuals, and the full scale of each site here.
  std::vector<std::string> residual_names() const;
  SiteScales scales() const;

  // Solves all shards. `history` is null at all processes but the first.
  void solve(RunHistory* history);
  // Returns the results of this process's shards and frees their problems.
  std::vector<ShardResult> results();
  void remove_checkpoints() const;

 private:
  // One shard of this process.
  struct Work {
    Shard shard;
    std::vector<SiteData> data;  // until there is a solver
    std::unique_ptr<ShardSolver> solver;
    std::unique_ptr<Checkpoints> checkpoints;
    std::unique_ptr<Checkpoint> resume;
    Solution solution;
    ShardRounds rounds = ShardRounds();
  };

  void read_site(Work& work, std::size_t site);
  Study study_of(const Work& work) const;
  Observer observer_of(Work& work, RunHistory* history);
  void solve_alone(Work& work, RunHistory* history);
  void solve_beside(Work& work, LocalAllreduce& allreduce, RunHistory* history);
  void solve_side_by_side(RunHistory* history);

  Setup setup_;
  const std::vector<std::vector<Shard>>& of_process_;
  Study study_;  // with known weights
  std::vector<Work> works_;
  std::vector<bool> weighted_;  // by site, for the sites here
  std::vector<PreparationNote> notes_;
  int start_round_ = 0;
  CheckpointClock clock_;
  std::unique_ptr<AbsorptionRounds> absorption_rounds_;  // null: nobody watches
};

}  // namespace firm
