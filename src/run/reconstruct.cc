#include "run/reconstruct.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "core/available_memory.h"
#include "core/byte_size.h"
#include "core/timing.h"
#include "firm/error.h"
#include "io/study/study_file.h"
#include "prep/load_study.h"
#include "run/store/checkpoint.h"
#include "run/store/chunk_directory.h"
#include "run/shard/chunk_run.h"
#include "run/shard/chunks.h"
#include "run/store/history.h"
#include "run/store/phases.h"
#include "run/store/run_json.h"
#include "run/store/run_output.h"
#include "run/study_inputs.h"

namespace firm {
namespace {

constexpr double kCheckpointSeconds = 30;
constexpr double kFlushSeconds = 0.5;
constexpr const char* kCheckpoint = "checkpoint.h5";

class Reconstruction {
 public:
  Reconstruction(const ReconArguments& arguments, const RunCallbacks& callbacks)
      : arguments_(arguments), callbacks_(callbacks), chunk_directory_(arguments.out) {
    input_.study.file = read_study(arguments.study);
    input_.path = arguments.study;
    input_.truth = truth_path(input_.study.file, arguments.study, arguments.truth);
    input_.options = recon_options(input_.study.file, arguments);
  }

  ReconResult run() {
    plan();
    return several() ? in_chunks() : at_once();
  }

 private:
  bool several() const { return plan_.chunks.size() > 1; }
  bool resuming() const { return arguments_.start == RunDirectory::Start::kResume; }
  bool interrupted() const { return callbacks_.interrupted && callbacks_.interrupted(); }

  void plan();
  ReconResult at_once();
  ReconResult in_chunks();
  // False when it was interrupted.
  bool solve_chunk(std::size_t k);
  std::optional<ChunkResult> earlier_result(const SliceRange& chunk, const std::string& identity);
  bool is_done(const ChunkResult& result) const;
  void open_directory();
  void open_history(std::size_t k, const std::optional<ChunkResult>& earlier, int rounds);
  std::string finished_history() const;
  Observer observer(std::optional<std::size_t> chunk, const std::string& checkpoint,
                    const ChunkRun& run);
  void keep_state(const std::string& checkpoint, const ChunkRun& run, int round, bool ending,
                  const std::function<void(Archive&)>& state);
  void keep_line(const std::string& line);
  void tell_preparation(const ChunkRun& run) const;
  void tell_start(std::size_t chunk, const ChunkRun& run) const;
  RunOutput output() const;

  const ReconArguments& arguments_;
  const RunCallbacks& callbacks_;
  ChunkInput input_;
  Study study_;  // all slices
  std::vector<Variable> variables_;
  std::uint64_t available_ = 0;  // memory
  ChunkPlan plan_;
  ChunkDirectory chunk_directory_;
  std::optional<RunDirectory> directory_;
  StudyFile resolved_;
  RunFacts facts_;
  std::vector<ChunkResult> results_;  // of the chunks that are done
  std::string lines_;                 // of the history, of the chunk in progress
  Summary last_;                      // of the chunk that was solved last
  Stopwatch watch_;
  Phases phases_;
  double next_checkpoint_ = kCheckpointSeconds;
  double next_flush_ = 0;
};

void Reconstruction::plan() {
  study_ = load_geometries(input_.study.file, input_.path);  // errors, before much is read
  report(callbacks_.progress, "reading the data", 0);
  const std::string doubt = warn_noise(input_.study.file);
  if (!doubt.empty() && callbacks_.on_event) callbacks_.on_event("warning: " + doubt);
  input_.study = estimate_unknowns(input_.study.file, input_.path);
  if (input_.study.any()) study_ = load_geometries(input_.study.file, input_.path);
  variables_ = all_variables(study_);
  available_ = available_memory();
  SolveOptions& options = input_.options;
  Study likely = study_;
  for (Site& site : likely.sites) {
    site.weighted_values = may_have_weights(input_.study.file, site.name);
  }
  plan_ = plan_chunks(run_needs(options, likely, !input_.truth.empty()), study_.slices, options,
                      resuming(), {arguments_.max_memory, available_});
  options.chunks = static_cast<int>(plan_.chunks.size());
  facts_.study = study_.name;
  facts_.options = options;
  if (several() && resuming() && !chunk_directory_.exists()) {
    throw usage_error({arguments_.out, "--resume", "the chunks of an interrupted run",
                       "no directory chunks in it"});
  }
}

// Nothing is written before all input has been found to be right.
void Reconstruction::open_directory() {
  if (directory_) return;
  directory_.emplace(arguments_.out, arguments_.start);
  directory_->forget_end();
  if (!resuming()) chunk_directory_.remove();
  if (several()) chunk_directory_.create();
  resolved_ =
      resolved_study(input_.study.file, {arguments_.study, arguments_.out, arguments_.truth},
                     study_.sites, input_.options);
  write_study(directory_->file("study.toml"), resolved_);
  if (!callbacks_.on_event) return;
  std::string text = fmt::format("memory: about {} needed, {} available",
                                 byte_size_text(plan_.needed), byte_size_text(available_));
  if (several())
    text += fmt::format("; {} slices in {} chunks", study_.slices, plan_.chunks.size());
  callbacks_.on_event(text);
}

Observer Reconstruction::observer(std::optional<std::size_t> chunk, const std::string& checkpoint,
                                  const ChunkRun& run) {
  const std::vector<std::string> names = names_of(variables_);
  Observer o;
  o.interrupted = callbacks_.interrupted;
  o.on_round = [=, this](const RoundRecord& record, int limit) {
    const std::string line = history_line(record, names, chunk);
    keep_line(line);
    if (callbacks_.on_round) callbacks_.on_round(record, limit, line);
  };
  const std::size_t first = plan_.chunks[chunk.value_or(0)].first;
  show_images(callbacks_, o, [=, this](const Block& images) {
    callbacks_.on_images({images, variables_, image_grid(study_), first, study_.slices});
  });
  o.on_state = [=, &run, this](int round, bool ending, const auto& state) {
    keep_state(checkpoint, run, round, ending, state);
  };
  return o;
}

void Reconstruction::keep_state(const std::string& checkpoint, const ChunkRun& run, int round,
                                bool ending, const std::function<void(Archive&)>& state) {
  if (!ending && watch_.seconds() < next_checkpoint_) return;
  directory_->flush_history();
  write_checkpoint(checkpoint, run.identity(), round, state);
  next_checkpoint_ = watch_.seconds() + kCheckpointSeconds;
}

void Reconstruction::keep_line(const std::string& line) {
  directory_->append_history(line);
  if (several()) lines_ += line + "\n";
  if (watch_.seconds() < next_flush_) return;
  directory_->flush_history();
  next_flush_ = watch_.seconds() + kFlushSeconds;
}

void Reconstruction::tell_preparation(const ChunkRun& run) const {
  if (!callbacks_.on_event) return;
  for (std::size_t i = 0; i < study_.sites.size(); ++i) {
    for (const auto& line : preparation_lines(study_.sites[i].name, run.reports()[i])) {
      callbacks_.on_event(line);
    }
  }
}

void Reconstruction::tell_start(std::size_t chunk, const ChunkRun& run) const {
  if (!callbacks_.on_start) return;
  std::vector<SiteScales> scales;
  for (const ChunkResult& result : results_) {
    scales.emplace_back();
    for (const SiteSummary& site : result.facts.summary.sites) {
      scales.back()[site.name] = site.full_scale;
    }
  }
  scales.push_back(full_scales(run.problem()));
  callbacks_.on_start({resolved_, input_.options,
                       several() ? finished_history() + lines_ : directory_->history(),
                       names_of(variables_), chunk, plan_.chunks.size(), scales});
}

RunOutput Reconstruction::output() const {
  return {*directory_, study_, variables_, resolved_, facts_, input_.truth};
}

ReconResult Reconstruction::at_once() {
  report(callbacks_.progress, "reading the data", 0);
  ChunkRun run(input_, plan_.chunks.front());
  facts_.fingerprints = run.fingerprints();
  for (const PreparationReport& r : run.reports()) {
    facts_.preparations.push_back(preparation_json(r));
  }
  tell_preparation(run);
  const std::string checkpoint = (std::filesystem::path(arguments_.out) / kCheckpoint).string();
  run.prepare(resuming() ? checkpoint : "", observer({}, checkpoint, run));
  open_directory();
  directory_->open_history(run.rounds());
  tell_start(0, run);
  phases_.end("reading");
  const Solution solution = run.solve();
  phases_.end("solving");
  directory_->flush_history();
  write_images(output(), images_of(solution), solution.summary, callbacks_.progress);
  phases_.end("writing images");
  facts_.phases = phases_.seconds();
  const std::string summary = summary_json(solution.summary, facts_);
  write_report(output(), summary, nullptr);
  if (solution.summary.termination.converged) directory_->remove(kCheckpoint);
  write_summary(output(), summary);
  return {solution.summary, written_files(*directory_)};
}

// Of a run that is resumed.
std::optional<ChunkResult> Reconstruction::earlier_result(const SliceRange& chunk,
                                                          const std::string& identity) {
  if (!resuming()) return {};
  std::optional<ChunkResult> result = chunk_directory_.result(chunk);
  if (result) require_identity(chunk_directory_.result_file(chunk), identity, result->identity);
  return result;
}

// Others go on: the rules that stopped them are no longer the same.
bool Reconstruction::is_done(const ChunkResult& result) const {
  return result.converged() || result.stop == stop_text(input_.options);
}

std::string Reconstruction::finished_history() const {
  std::string lines;
  for (const ChunkResult& result : results_) lines += result.history;
  return lines;
}

// Lines of later chunks, which an earlier attempt has left, stay until they are needed.
void Reconstruction::open_history(std::size_t k, const std::optional<ChunkResult>& earlier,
                                  int rounds) {
  const std::string there = resuming() ? directory_->history() : "";
  lines_ = lines_before(earlier ? earlier->history : lines_of_chunk(there, k), rounds);
  directory_->open_history(finished_history() + lines_after_chunk(there, k) + lines_);
}

bool Reconstruction::solve_chunk(std::size_t k) {
  const SliceRange& chunk = plan_.chunks[k];
  report(callbacks_.progress, "reading the data", 0);
  ChunkRun run(input_, chunk);
  const std::optional<ChunkResult> earlier = earlier_result(chunk, run.identity());
  if (earlier && is_done(*earlier)) {
    results_.push_back(*earlier);
    return true;
  }
  const std::string checkpoint = chunk_directory_.checkpoint_file(chunk);
  const bool go_on = resuming() && chunk_directory_.has_checkpoint(chunk);
  run.prepare(go_on ? checkpoint : "", observer(k, checkpoint, run));
  open_directory();
  open_history(k, earlier, run.rounds());
  tell_start(k, run);
  if (callbacks_.on_event) {
    callbacks_.on_event(fmt::format("chunk {} of {}: slices {} to {}", k + 1, plan_.chunks.size(),
                                    chunk.first, chunk.first + chunk.count - 1));
  }
  tell_preparation(run);
  phases_.end("reading");
  const Solution solution = run.solve();
  phases_.end("solving");
  directory_->flush_history();
  last_ = solution.summary;
  if (last_.termination.reason == "interrupted") return false;
  results_.push_back(
      {{chunk, last_, run.fingerprints()}, run.identity(), stop_text(input_.options), lines_});
  write_chunk(chunk_directory_.result_file(chunk), image_grid(study_), results_.back(), variables_,
              images_of(solution));
  if (last_.termination.converged) std::filesystem::remove(checkpoint);
  return true;
}

ReconResult Reconstruction::in_chunks() {
  for (std::size_t k = 0; k < plan_.chunks.size(); ++k) {
    if ((k > 0 && interrupted()) || !solve_chunk(k)) {
      last_.termination = {"interrupted", "interrupted", false};
      return {last_, {}, k};
    }
  }
  open_directory();
  directory_->open_history(finished_history());
  std::vector<std::string> files;
  for (const ChunkResult& result : results_) {
    files.push_back(chunk_directory_.result_file(result.facts.slices));
    facts_.chunks.push_back(result.facts);
  }
  const Summary summary = join_chunks(results_);
  write_images(output(), join_images(files, results_, variables_, image_grid(study_)), summary,
               callbacks_.progress);
  phases_.end("writing images");
  facts_.phases = phases_.seconds();
  const std::string text = summary_json(summary, facts_);
  write_report(output(), text, nullptr);
  write_summary(output(), text);
  if (summary.termination.converged) chunk_directory_.remove();
  return {summary, written_files(*directory_)};
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

ReconResult reconstruct(const ReconArguments& arguments, const RunCallbacks& callbacks) {
  return Reconstruction(arguments, callbacks).run();
}

}  // namespace firm
