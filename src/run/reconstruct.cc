#include "run/reconstruct.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "core/interruption.h"
#include "io/files/pending_file.h"
#include "run/fit_report.h"
#include "run/reconstruction.h"
#include "run/shard/merge.h"
#include "run/store/history.h"

namespace firm {
namespace {

constexpr const char* kCheckpoint = "/checkpoint.h5";

}  // namespace

// --- the run directory

// Called once the input of the first stage is known to be right; writes nothing before.
void Reconstruction::open_directory() {
  if (directory_) return;
  if (first()) claim_->take();
  directory_.emplace(arguments_.out, first() ? arguments_.start : RunDirectory::Start::kResume);
  if (!first()) return;
  directory_->forget_end();
  if (!resuming()) {
    store_.remove();
    stage_->remove_checkpoints();  // of another run
  }
  if (plan_.several()) store_.create();
  if (!memory_) resolved_ = plan_.write_studies(*directory_);
  event(plan_.memory_text());
  if (plan_.refined()) facts_.warnings = plan_.refined()->warnings;
  const std::string& noise = plan_.data().noise_warning();
  if (!noise.empty()) facts_.warnings.push_back(noise);
}

void Reconstruction::require_unfinished() const {
  if (is_unfinished_run(arguments_.out)) return;
  throw usage_error({arguments_.out, "--resume", "the checkpoints or chunks of an interrupted run",
                     "a finished one (summary.json)"});
}

// The newest round of which all shards, here and elsewhere, have a checkpoint; 0: none.
std::uint64_t Reconstruction::common_round(const Stage& stage) const {
  std::optional<std::set<std::uint64_t>> common;
  for (const auto& shards : stage.of_process) {
    for (const Shard& shard : shards) {
      const std::string name = shard_name(plan_.study(), shard);
      const auto rounds = Checkpoints::numbered(arguments_.out, name).rounds();
      const std::set<std::uint64_t> own(rounds.begin(), rounds.end());
      if (!common) common = own;
      std::erase_if(*common, [&](std::uint64_t round) { return !own.contains(round); });
    }
  }
  return common->empty() ? 0 : *common->rbegin();
}

void Reconstruction::choose_checkpoints(StageRun& stage, std::size_t k) {
  std::vector<Checkpoints> files;
  for (const Shard& shard : plan_.stages()[k].of_process[processes_.rank()]) {
    if (arguments_.separate) {
      files.push_back(Checkpoints::numbered(arguments_.out, shard_name(plan_.study(), shard)));
    } else {
      files.push_back(Checkpoints::single(plan_.several() ? store_.checkpoint_file(shard.slices)
                                                          : arguments_.out + kCheckpoint));
    }
  }
  const std::uint64_t common =
      resuming() && arguments_.separate ? common_round(plan_.stages()[k]) : 0;
  const bool there = resuming() && (common > 0 || files.front().exists());
  stage.use_checkpoints(std::move(files));
  if (there) {
    stage.resume_from(common);
  } else if (resuming() && first() && !plan_.several()) {
    event("no checkpoint found: starting from round 0");
  }
}

std::string Reconstruction::finished_history() const {
  std::string lines;
  for (const ShardResult& result : results_) lines += result.history;
  return lines;
}

// Keeps history lines of later stages left by an earlier attempt.
void Reconstruction::open_history(std::size_t k, int rounds) {
  if (!plan_.several()) return directory_->open_history(rounds);
  const std::string there = resuming() ? directory_->history() : "";
  lines_ = lines_before(unfinished_ ? unfinished_->history : lines_of_chunk(there, k), rounds);
  directory_->open_history(finished_history() + lines_after_chunk(there, k) + lines_);
}

// --- a stage

// Takes the result of an earlier attempt, of a run that is resumed. One that has not converged goes
// on if the rules that stopped it have changed.
bool Reconstruction::take_earlier_result(const StageRun& stage, std::size_t k) {
  unfinished_.reset();
  if (!resuming() || !plan_.several()) return false;
  std::optional<ShardResult> earlier = store_.result(plan_.slices(k));
  if (!earlier) return false;
  require_identity(store_.result_file(plan_.slices(k)), stage.identity(), earlier->identity);
  if (earlier->converged() || earlier->stop == stop_text(plan_.options())) {
    results_.push_back(std::move(*earlier));
    return true;
  }
  unfinished_ = std::move(earlier);
  return false;
}

// Opens the checkpoint to resume from before anything of the earlier run is changed. Process 0
// makes the directory before the others look into it.
void Reconstruction::open(StageRun& stage, std::size_t k) {
  do_together(processes_, [&] { choose_checkpoints(stage, k); });
  do_together(processes_, [&] {
    if (first()) open_directory();
  });
  do_together(processes_, [&] {
    open_directory();
    if (first()) open_history(k, stage.rounds());
  });
}

// Tells the callbacks that the stage starts, and how its data was prepared.
void Reconstruction::announce(const StageRun& stage, std::size_t k) {
  if (callbacks_.on_start) {
    std::vector<SiteScales> scales;
    for (const ShardResult& result : results_) {
      scales.emplace_back();
      for (const SiteSummary& site : result.summary().sites) {
        scales.back()[site.name] = site.full_scale;
      }
    }
    if (!arguments_.separate) scales.push_back(stage.scales());
    callbacks_.on_start({resolved_, plan_.options(),
                         plan_.several() ? finished_history() + lines_ : directory_->history(),
                         stage.residual_names(), k, plan_.stages().size(), scales,
                         plan_.refined() ? &*plan_.refined() : nullptr});
  }
  if (plan_.several()) {
    const SliceRange& slices = plan_.slices(k);
    event(fmt::format("chunk {} of {}: slices {} to {}", k + 1, plan_.stages().size(), slices.first,
                      slices.first + slices.count - 1));
  }
  for (const PreparationNote& note : stage.notes()) {
    for (const std::string& line : note.lines) event(line);
    for (std::string& text : warnings_in(note.lines)) facts_.warnings.push_back(std::move(text));
    if (!plan_.several()) facts_.preparations.push_back(note.json);
  }
}

// Brings the results of all processes together at the first. False: interrupted.
bool Reconstruction::collect(StageRun& stage, std::size_t k, RunHistory* history) {
  std::vector<ShardResult> all = gather_results(stage.results(), processes_);
  last_ = all.front().summary();
  if (history == nullptr) return true;
  history->complete(all, stage.rounds());
  lines_ += history->lines();
  if (plan_.several() && last_.termination.reason == "interrupted") return false;
  keep_result(merge_side_by_side(plan_.study(), std::move(all)), k);
  return true;
}

// Keeps the result in a file where there are several stages: their images need not fit into memory
// together.
void Reconstruction::keep_result(ShardResult result, std::size_t k) {
  result.stop = stop_text(plan_.options());
  if (plan_.several()) {
    result.history = lines_;
    write_result(store_.result_file(plan_.slices(k)), image_grid(plan_.study()), result);
    if (result.converged()) std::filesystem::remove(store_.checkpoint_file(plan_.slices(k)));
    result.solution.images = Block();
    result.solution.multiplier = Block();
    result.solution.attenuation.clear();
  }
  results_.push_back(std::move(result));
}

bool Reconstruction::solve_stage(std::size_t k) {
  std::optional<InterruptionScope> scope(set_up_interruption());
  report(callbacks_.progress, "reading the data", 0);
  StageRun& stage =
      stage_.emplace(StageRun::Setup{processes_, callbacks_, plan_.data(), plan_.study(),
                                     plan_.options(), plan_.truth(), arguments_.separate,
                                     plan_.most_absorption(), set_up_interruption()},
                     plan_.stages()[k].of_process);
  do_together(processes_, [&] { stage.read(); });
  stage.share();
  if (take_earlier_result(stage, k)) return true;
  do_together(processes_, [&] { stage.build(); });
  open(stage, k);
  std::optional<RunHistory> history;
  if (first()) {
    announce(stage, k);
    const std::size_t shards = plan_.stages()[k].of_process.front().size();
    const auto number = plan_.several() ? std::optional<std::size_t>(k) : std::nullopt;
    history.emplace(*directory_, callbacks_,
                    RunHistory::Size{shards, processes_.count() == 1, number});
  }
  RunHistory* const lines = history ? &*history : nullptr;
  phases_.end("reading");
  scope.reset();
  stage.solve(lines);
  phases_.end("solving");
  return collect(stage, k, lines);
}

// --- the end

ReconResult Reconstruction::interrupted_result(std::size_t finished) {
  last_.termination = {"interrupted", "interrupted", false};
  return {.summary = last_, .chunks_done = finished, .nothing_written = !directory_ && !resuming()};
}

// Images, pictures and report first, then the summary, which makes the run complete.
void Reconstruction::write_outputs(const RunOutput& output, const Summary& summary,
                                   const RunImages& images, Phases phases,
                                   const Progress& progress) {
  write_images(output, images, summary, progress);
  phases.end("writing images");
  const std::string text = summary_json(summary, facts(phases));
  write_report(output, text, plan_.data());
  write_text_file(output.directory.file("summary.json"), text);
}

RunFacts Reconstruction::facts(const Phases& phases) const {
  RunFacts facts = facts_;
  facts.phases = phases.seconds();
  return facts;
}

// Copies the checkpoint of a run that stopped before converging, so that the copy can be resumed.
void Reconstruction::save(const Summary& summary, const std::string& out, RunDirectory::Start start,
                          const Progress& progress) {
  Phases phases = phases_;
  phases.restart();
  RunClaim claim(out, start);
  claim.take();
  RunDirectory directory(out, start);
  directory.forget_end();
  const StudyFile resolved = plan_.write_studies(directory);
  directory.open_history(history());
  directory.flush_history();
  const std::string checkpoint = arguments_.out + kCheckpoint;
  if (std::filesystem::exists(checkpoint)) {
    std::filesystem::copy_file(checkpoint, directory.file("checkpoint.h5"),
                               std::filesystem::copy_options::overwrite_existing);
  } else {
    directory.remove("checkpoint.h5");  // of another run
  }
  const RunOutput output{directory, plan_.study(), in_memory().variables,
                         resolved,  facts_,        plan_.truth()};
  write_outputs(output, summary, images_of(in_memory().solution), phases, progress);
}

ReconResult Reconstruction::finish() {
  open_directory();
  facts_.study = plan_.study().name;
  facts_.options = plan_.options();
  const ImageGrid grid = image_grid(plan_.study());
  Summary summary = merge_in_turn(results_);
  summary.refined = plan_.refined();
  const std::vector<std::string> warnings = fit_warnings(summary, plan_.data());
  facts_.warnings.insert(facts_.warnings.end(), warnings.begin(), warnings.end());
  const RunOutput output{*directory_, plan_.study(), results_.front().variables,
                         resolved_,   facts_,        plan_.truth()};
  if (plan_.several()) {
    directory_->open_history(finished_history());
    std::vector<std::string> files;
    for (const ShardResult& stage : results_) {
      files.push_back(store_.result_file(stage.shard.slices));
      facts_.chunks.push_back({stage.shard.slices, stage.summary(), stage.fingerprints});
    }
    write_outputs(output, summary, merge_images(files, results_, grid), phases_,
                  callbacks_.progress);
  } else {
    facts_.fingerprints = results_.front().fingerprints;
    if (memory_) return {summary, {}, warnings, {}};
    write_outputs(output, summary, images_of(results_.front().solution), phases_,
                  callbacks_.progress);
  }
  return {summary, written_files(*directory_), warnings, {}};
}

ReconResult Reconstruction::run() {
  try {
    return run_stages();
  } catch (const Interrupted&) {  // in set-up
    return interrupted_result(results_.size());
  }
}

// Removes the state that a killed run would resume from only when the summary is on the disk.
ReconResult Reconstruction::run_stages() {
  do_together(processes_, [this] {
    if (!first()) return;
    claim_.emplace(arguments_.out, arguments_.start);
    if (resuming()) require_unfinished();
  });
  do_together(processes_, [this] {
    const InterruptionScope scope(set_up_interruption());
    plan_.make(processes_, callbacks_);
  });
  if (memory_ && plan_.several()) {
    throw usage_error({arguments_.study, "memory",
                       "room for all slices at once, or a run directory for chunks of them",
                       plan_.memory_text()});
  }
  if (arguments_.separate) plan_.check_memory_side_by_side(processes_);
  for (std::size_t k = 0; k < plan_.stages().size(); ++k) {
    if ((k > 0 && interrupted()) || !solve_stage(k)) return interrupted_result(k);
  }
  ReconResult result{.summary = last_};
  do_together(processes_, [&] {
    if (first()) result = finish();
  });
  if (!result.summary.termination.converged) return result;
  if (plan_.several()) {
    store_.remove();
  } else {
    stage_->remove_checkpoints();
  }
  return result;
}

SolveOptions recon_options(const StudyFile& file, const ReconArguments& a) {
  if (a.start != RunDirectory::Start::kResume) return options_of(file, a.study, a.settings);
  const std::string kept = (std::filesystem::path(a.out) / "study.toml").string();
  if (!std::filesystem::exists(kept)) {
    throw usage_error(
        {a.out, "--resume", "the directory of an earlier run", "no study.toml in it"});
  }
  return options_of(read_study(kept), kept, a.settings);
}

ReconResult reconstruct_to_directory(const ReconArguments& arguments, const RunCallbacks& callbacks,
                                     Processes& processes) {
  FIRM_CHECK(arguments.separate || processes.count() == 1);
  std::optional<Reconstruction> run;
  do_together(processes, [&] { run.emplace(arguments, callbacks, processes); });
  return run->run();
}

ReconResult reconstruct_to_directory(const ReconArguments& arguments,
                                     const RunCallbacks& callbacks) {
  OneProcess alone;
  return reconstruct_to_directory(arguments, callbacks, alone);
}

}  // namespace firm
