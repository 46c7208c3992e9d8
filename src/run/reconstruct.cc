#include "run/reconstruct.h"

#include <filesystem>
#include <optional>

#include "core/timing.h"
#include "firm/error.h"
#include "io/load_study.h"
#include "io/study_file.h"
#include "run/checkpoint.h"
#include "run/identity.h"
#include "run/run_json.h"
#include "run/run_output.h"
#include "run/study_inputs.h"

namespace firm {
namespace {

constexpr double kCheckpointSeconds = 30;
constexpr double kFlushSeconds = 0.5;
constexpr const char* kCheckpoint = "checkpoint.h5";

class Reconstruction {
 public:
  Reconstruction(const ReconArguments& arguments, const ReconCallbacks& callbacks)
      : arguments_(arguments),
        callbacks_(callbacks),
        file_(read_study(arguments.study)),
        options_(recon_options(file_, arguments)) {}

  ReconResult go();

 private:
  void load();
  Solution run();
  void keep_state(int round, bool ending, const std::function<void(Archive&)>& state);
  void keep_round(const RoundRecord& record, int limit);

  const ReconArguments& arguments_;
  const ReconCallbacks& callbacks_;
  StudyFile file_;
  SolveOptions options_;
  std::optional<RunDirectory> directory_;
  LoadedStudy loaded_;
  StudyFile resolved_;
  RunFacts facts_;
  std::string identity_;
  std::unique_ptr<Problem> problem_;
  std::optional<Block> truth_;
  std::vector<std::string> names_;
  Stopwatch watch_;
  double next_checkpoint_ = kCheckpointSeconds;
  double next_flush_ = 0;
};

void Reconstruction::load() {
  report(callbacks_.progress, "reading the data", 0);
  loaded_ = load_study(file_, arguments_.study);
  facts_.study = loaded_.study.name;
  facts_.options = options_;
  for (const SiteData& data : loaded_.data) facts_.fingerprints.push_back(fingerprint(data));
  identity_ = run_identity(loaded_.study, options_, facts_.fingerprints);
  problem_ = std::make_unique<Problem>(loaded_.study, loaded_.data,
                                       ProblemOptions{options_.threads, "auto"});
  truth_ = read_truth(truth_path(file_, arguments_.study, arguments_.truth), loaded_.study,
                      problem_->variables(), {loaded_.study.slices});
  for (const Variable& v : problem_->variables()) names_.push_back(v.name);
}

void Reconstruction::keep_state(int round, bool ending,
                                const std::function<void(Archive&)>& state) {
  if (!ending && watch_.seconds() < next_checkpoint_) return;
  directory_->flush_history();
  write_checkpoint(directory_->file(kCheckpoint), identity_, round, state);
  next_checkpoint_ = watch_.seconds() + kCheckpointSeconds;
}

void Reconstruction::keep_round(const RoundRecord& record, int limit) {
  directory_->append_history(history_line(record, names_));
  if (watch_.seconds() >= next_flush_) {
    directory_->flush_history();
    next_flush_ = watch_.seconds() + kFlushSeconds;
  }
  if (callbacks_.on_round) callbacks_.on_round(record, limit);
}

Solution Reconstruction::run() {
  std::optional<Checkpoint> checkpoint;
  if (arguments_.start == RunDirectory::Start::kResume) {
    checkpoint.emplace((std::filesystem::path(arguments_.out) / kCheckpoint).string(), identity_);
  }
  LocalCollective collective;
  SolveInput input;
  input.problem = problem_.get();
  input.collective = &collective;
  input.options = options_;
  input.truth = truth_ ? &*truth_ : nullptr;
  input.resume = checkpoint ? &*checkpoint : nullptr;
  input.observer.on_round = [this](const RoundRecord& r, int limit) { keep_round(r, limit); };
  input.observer.interrupted = callbacks_.interrupted;
  input.observer.on_state = [this](int round, bool ending, const auto& state) {
    keep_state(round, ending, state);
  };
  Solver solver(input);
  // Nothing is written before all input has been found to be right.
  directory_.emplace(arguments_.out, arguments_.start);
  resolved_ = resolved_study(file_, {arguments_.study, arguments_.out, arguments_.truth},
                             loaded_.study.sites, options_);
  write_study(directory_->file("study.toml"), resolved_);
  directory_->open_history(checkpoint ? checkpoint->round() : 0);
  return solver.run();
}

ReconResult Reconstruction::go() {
  load();
  const Solution solution = run();
  directory_->flush_history();
  const RunOutput output{*directory_, loaded_.study, problem_->variables(),
                         resolved_,   facts_,        truth_ ? &*truth_ : nullptr};
  write_images(output, solution, callbacks_.progress);
  if (solution.summary.termination.converged) directory_->remove(kCheckpoint);
  write_summary(output, solution.summary);
  return {solution.summary, written_files(*directory_)};
}

}  // namespace

SolveOptions recon_options(const StudyFile& file, const ReconArguments& a) {
  if (a.start != RunDirectory::Start::kResume) return options_of(file, a.study, a.settings);
  const std::string kept = (std::filesystem::path(a.out) / "study.toml").string();
  if (!std::filesystem::exists(kept)) {
    throw usage_error(
        {a.out, "--resume", "the directory of an earlier run", "no study.toml in it"});
  }
  return options_of(read_study(kept), kept, a.settings);
}

ReconResult reconstruct(const ReconArguments& arguments, const ReconCallbacks& callbacks) {
  return Reconstruction(arguments, callbacks).go();
}

}  // namespace firm
