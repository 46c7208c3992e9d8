// Reconstruction: the one driver of a run, stages one after another, then the outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/recon_plan.h"
#include "run/stage.h"
#include "run/store/phases.h"
#include "run/store/run_claim.h"
#include "run/store/run_json.h"
#include "run/store/run_output.h"
#include "run/store/shard_store.h"

namespace firm {

// Whether the results of a run are written or stay in memory.
enum class Results { kWritten, kInMemory };

// Solves the stages of a plan one after another, then writes the results. Whatever is written
// before the end lets a killed run be resumed; finish() is the end.
class Reconstruction {
 public:
  Reconstruction(const ReconArguments& arguments, const RunCallbacks& callbacks,
                 Processes& processes, Results results = Results::kWritten)
      : arguments_(arguments),
        callbacks_(callbacks),
        processes_(processes),
        memory_(results == Results::kInMemory),
        plan_(arguments),
        store_(arguments.out) {}

  ReconResult run();

  // After a run in memory.
  const ReconPlan& plan() const { return plan_; }
  const ShardResult& in_memory() const { return results_.front(); }
  RunFacts facts(const Phases& phases) const;
  std::string history() const { return directory_->history(); }
  const Phases& phases() const { return phases_; }
  void save(const Summary& summary, const std::string& out, RunDirectory::Start start,
            const Progress& progress);

 private:
  bool first() const { return processes_.rank() == 0; }
  bool resuming() const { return arguments_.start == RunDirectory::Start::kResume; }
  // Returns the question that may end set-up; empty: nothing ends it.
  std::function<bool()> set_up_interruption() const {
    const bool ends = arguments_.interrupts_set_up && processes_.count() == 1;
    return ends ? callbacks_.interrupted : nullptr;
  }
  bool interrupted() const { return callbacks_.interrupted && callbacks_.interrupted(); }
  void event(const std::string& line) const {
    if (callbacks_.on_event) callbacks_.on_event(line);
  }

  ReconResult run_stages();
  // Solves stage k, unless an earlier attempt has. False: interrupted before it had a result.
  bool solve_stage(std::size_t k);
  bool take_earlier_result(const StageRun& stage, std::size_t k);
  void open(StageRun& stage, std::size_t k);
  void announce(const StageRun& stage, std::size_t k);
  bool collect(StageRun& stage, std::size_t k, RunHistory* history);
  void keep_result(ShardResult result, std::size_t k);

  void open_directory();
  void require_unfinished() const;
  void choose_checkpoints(StageRun& stage, std::size_t k);
  std::uint64_t common_round(const Stage& stage) const;
  void open_history(std::size_t k, int rounds);
  std::string finished_history() const;

  ReconResult interrupted_result(std::size_t finished);
  ReconResult finish();
  void write_outputs(const RunOutput& output, const Summary& summary, const RunImages& images,
                     Phases phases, const Progress& progress);

  const ReconArguments& arguments_;
  const RunCallbacks& callbacks_;
  Processes& processes_;
  const bool memory_;  // results stay in memory
  ReconPlan plan_;
  ShardStore store_;               // of a plan with several stages
  std::optional<RunClaim> claim_;  // of process 0, until the outputs are complete
  std::optional<RunDirectory> directory_;
  StudyFile resolved_;
  RunFacts facts_;
  std::vector<ShardResult> results_;       // of the finished stages
  std::optional<ShardResult> unfinished_;  // of an earlier attempt at the stage in progress
  std::string lines_;                      // history lines of the stage in progress
  std::optional<StageRun> stage_;          // in progress, or the last one
  Summary last_;                           // of the stage that was solved last
  Phases phases_;
};

}  // namespace firm
