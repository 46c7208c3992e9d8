#include "run/reconstruct_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/available_memory.h"
#include "core/byte_size.h"
#include "core/parallel.h"
#include "core/timing.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/local_exchange.h"
#include "firm/error.h"
#include "prep/load_study.h"
#include "run/store/checkpoint.h"
#include "run/shard/chunks.h"
#include "run/store/identity.h"
#include "run/shard/part_data.h"
#include "run/memory/part_needs.h"
#include "run/shard/part_result.h"
#include "run/shard/parts.h"
#include "run/shard/parts_history.h"
#include "run/store/phases.h"
#include "run/store/run_json.h"
#include "run/store/run_output.h"
#include "run/store/site_checkpoints.h"

namespace firm {
namespace {

constexpr double kCheckpointSeconds = 30;

class PartsRun {
 public:
  PartsRun(const ReconArguments& arguments, const RunCallbacks& callbacks, Processes& processes)
      : arguments_(arguments), callbacks_(callbacks), processes_(processes) {}

  ReconResult run();

 private:
  // One part of this process.
  struct Work {
    Part part;
    SiteData data;
    std::string fingerprint;
    std::string identity;
    std::unique_ptr<Problem> problem;
    std::optional<Block> truth;
    std::unique_ptr<SiteCheckpoints> checkpoints;
    Solution solution;
    PartRounds rounds = PartRounds();
  };

  bool first() const { return processes_.rank() == 0; }
  // All processes do this or none: what is wrong is thrown by one of them.
  void together(const std::function<void()>& work);
  void estimate_study();
  void check_memory();
  void read();
  void share();
  void make_problems();
  void open_directory();
  int round_to_go_on_from() const;
  void solve_all();
  void solve(Work& work, LocalAllreduce& allreduce);
  std::vector<PartResult> gather();
  ReconResult write(const std::vector<PartResult>& results);

  const ReconArguments& arguments_;
  const RunCallbacks& callbacks_;
  Processes& processes_;
  EstimatedStudy estimated_;
  StudyFile file_;
  SolveOptions options_;
  Study study_;
  std::vector<std::vector<Part>> parts_;  // of each process
  std::vector<Work> works_;
  std::vector<PartData> data_;       // of this process, until there are problems
  std::vector<PreparedNote> notes_;  // at process 0, of all sites
  std::optional<RunDirectory> directory_;
  std::optional<PartsHistory> history_;  // at process 0
  StudyFile resolved_;
  int start_round_ = 0;
  Phases phases_;
  Stopwatch watch_;
  double next_checkpoint_ = kCheckpointSeconds;
};

void PartsRun::together(const std::function<void()>& work) {
  std::optional<Error> wrong;
  try {
    work();
  } catch (const Error& error) {
    wrong = error;
  }
  const int here = wrong ? static_cast<int>(processes_.count() - processes_.rank()) : 0;
  int numbers[] = {here, wrong ? wrong->exit_code() : 0};
  processes_.largest(numbers);
  if (numbers[0] == 0) return;
  if (numbers[0] == here) throw *wrong;
  throw NotThisProcess(static_cast<Error::Kind>(numbers[1]));
}

void PartsRun::estimate_study() {
  file_ = read_study(arguments_.study);
  options_ = recon_options(file_, arguments_);
  require_one_chunk(options_, "firm recon with --separate or --mpi");
  load_geometries(file_, arguments_.study);  // what is wrong is told before much is read
  report(callbacks_.progress, "reading the data", 0);
  estimated_ = estimate_unknowns(file_, arguments_.study);  // the same at every process
  file_ = estimated_.file;
  study_ = load_geometries(file_, arguments_.study);
  parts_ = spread_parts(study_.sites.size(), study_.slices, processes_.count());
}

// Processes on one machine share its memory.
void PartsRun::check_memory() {
  const std::uint64_t needed = processes_.add_on_machine(
      memory_for_parts(options_, file_, study_, parts_[processes_.rank()], first()));
  const std::uint64_t available = available_memory();
  together([&] { require_memory(needed, available, study_, options_); });
  if (!callbacks_.on_event) return;
  callbacks_.on_event(fmt::format("memory: about {} needed, {} available", byte_size_text(needed),
                                  byte_size_text(available)));
}

void PartsRun::read() {
  for (const Part& part : parts_[processes_.rank()]) {
    data_.push_back(read_part(estimated_, arguments_.study, study_, part));
  }
}

void PartsRun::share() {
  share_weighted(data_, processes_, study_);
  notes_ = gather_notes(data_, processes_);
  for (const PreparedNote& note : notes_) {
    for (const std::string& line : note.lines) {
      if (callbacks_.on_event) callbacks_.on_event(line);
    }
  }
}

void PartsRun::make_problems() {
  const auto all = static_cast<std::size_t>(thread_count(options_.threads));
  const int threads = static_cast<int>(std::max<std::size_t>(1, all / data_.size()));
  for (PartData& data : data_) {
    Work work;
    work.part = data.part;
    work.fingerprint = data.fingerprint;
    Study study = study_;
    study.slices = work.part.slices;
    std::vector<std::string> fingerprints(study.sites.size());
    fingerprints[work.part.site] = work.fingerprint;
    work.identity = run_identity(study, options_, fingerprints);
    work.problem = std::make_unique<Problem>(study, std::vector<SiteData>{std::move(data.data)},
                                             ProblemOptions{threads, "auto"});
    work.truth = read_truth(truth_path(file_, arguments_.study, arguments_.truth), study,
                            work.problem->variables(), {study_.slices, work.part.first});
    work.rounds = PartRounds(work.problem->variables().size());
    works_.push_back(std::move(work));
  }
  data_.clear();
}

// The newest round at which all parts, here and elsewhere, have left their state.
int PartsRun::round_to_go_on_from() const {
  std::optional<std::set<std::uint64_t>> common;
  for (const auto& of_process : parts_) {
    for (const Part& part : of_process) {
      const auto rounds = SiteCheckpoints(*directory_, part_name(study_, part)).rounds();
      const std::set<std::uint64_t> own(rounds.begin(), rounds.end());
      if (!common) common = own;
      std::erase_if(*common, [&](std::uint64_t round) { return !own.contains(round); });
    }
  }
  if (common->empty()) {
    throw usage_error({arguments_.out, "--resume",
                       "checkpoints of all parts of a run with this many processes", "none"});
  }
  return static_cast<int>(*common->rbegin());
}

void PartsRun::open_directory() {
  const bool resume = arguments_.start == RunDirectory::Start::kResume;
  directory_.emplace(arguments_.out, first() ? arguments_.start : RunDirectory::Start::kResume);
  if (resume) start_round_ = round_to_go_on_from();
  for (Work& work : works_) {
    work.checkpoints = std::make_unique<SiteCheckpoints>(*directory_, part_name(study_, work.part));
    if (!resume) work.checkpoints->remove_all();
  }
  if (!first()) return;
  resolved_ = resolved_study(file_, {arguments_.study, arguments_.out, arguments_.truth},
                             study_.sites, options_);
  write_study(directory_->file("study.toml"), resolved_);
  directory_->forget_end();
  history_.emplace(*directory_, callbacks_, works_.size(), processes_.count() == 1);
  history_->open(start_round_);
  if (callbacks_.on_start) {
    std::map<std::size_t, std::string> names;  // in the order of JoinedRound
    for (const Work& work : works_) {
      for (const Variable& v : work.problem->variables()) names[v.slot] = v.name;
    }
    std::vector<std::string> ordered;
    for (const auto& [slot, name] : names) ordered.push_back(name);
    callbacks_.on_start({resolved_, options_, directory_->history(), ordered});
  }
}

void PartsRun::solve(Work& work, LocalAllreduce& allreduce) {
  LocalExchange exchange(allreduce);
  FixedPointCollective collective(exchange);
  std::optional<Checkpoint> checkpoint;
  if (start_round_ > 0) {
    checkpoint.emplace(work.checkpoints->path(static_cast<std::uint64_t>(start_round_)),
                       work.identity);
  }
  SolveInput input;
  input.problem = work.problem.get();
  input.collective = &collective;
  input.options = options_;
  input.truth = work.truth ? &*work.truth : nullptr;
  input.resume = checkpoint ? &*checkpoint : nullptr;
  if (&work == &works_.front()) {
    input.observer.interrupted = callbacks_.interrupted;
  }
  input.observer.on_round = [&](const RoundRecord& record, int limit) {
    work.rounds.add(record);
    if (history_) history_->keep(work.part, work.problem->variables(), record, limit);
  };
  input.observer.on_state = [&](int round, bool ending, const auto& state) {
    if (!exchange.checkpoint_asked() && !ending) return;
    work.checkpoints->write(work.identity, round, [&](Archive& archive) {
      state(archive);
      collective.archive(archive);
    });
  };
  Solver solver(input);
  // Only now: the sums by which a solver sets itself up are those of a new run.
  if (checkpoint) collective.archive(*checkpoint);
  work.solution = solver.run();
}

void PartsRun::solve_all() {
  const LocalAllreduce::Size size{works_.size(), study_.sites.size(), parts_.back().front().group + 1};
  processes_.split(works_.front().part.group);
  LocalAllreduce allreduce(processes_, size, [this] {
    if (watch_.seconds() < next_checkpoint_) return false;
    next_checkpoint_ = watch_.seconds() + kCheckpointSeconds;
    return true;
  });
  std::mutex mutex;
  std::exception_ptr wrong;
  std::vector<std::jthread> threads;
  for (Work& work : works_) {
    threads.emplace_back([&] {
      try {
        solve(work, allreduce);
      } catch (const PeerFailed&) {
        // The one that broke it tells why.
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!wrong) wrong = std::current_exception();
        allreduce.leave();
      }
    });
  }
  threads.clear();
  if (!wrong) return;
  try {
    std::rethrow_exception(wrong);
  } catch (const Error& error) {
    processes_.abandon(error.what(), error.exit_code());
    throw;
  } catch (const std::exception& error) {
    processes_.abandon(error.what(), 1);
    throw;
  }
}

// The results of all parts, at process 0; the problems have done their work.
std::vector<PartResult> PartsRun::gather() {
  std::vector<PartResult> own;
  for (Work& work : works_) {
    own.push_back({work.part, std::move(work.solution), work.problem->variables(), work.fingerprint,
                   std::move(work.rounds)});
    if (work.part.site > 0) own.back().solution.multiplier = Block();  // sites have the same
    work.problem.reset();
  }
  works_.front().solution.summary = own.front().solution.summary;
  for (std::string& bytes : processes_.gather(first() ? "" : to_bytes(own))) {
    if (bytes.empty()) continue;
    for (PartResult& result : results_from(bytes)) own.push_back(std::move(result));
    bytes = {};
  }
  return own;
}

ReconResult PartsRun::write(const std::vector<PartResult>& results) {
  const Summary& common = works_.front().solution.summary;
  const JoinedResult joined = join(study_, common, results);
  history_->complete(results);
  RunFacts facts{study_.name, options_, joined.fingerprints, {}};
  for (const PreparedNote& note : notes_) facts.preparations.push_back(note.json);
  const RunOutput output{
      *directory_, study_, joined.variables,
      resolved_,   facts,  truth_path(file_, arguments_.study, arguments_.truth)};
  write_images(output, images_of(joined.solution), joined.solution.summary, callbacks_.progress);
  phases_.end("writing images");
  facts.phases = phases_.seconds();
  const std::string summary = summary_json(joined.solution.summary, facts);
  write_report(output, summary, nullptr);
  write_summary(output, summary);
  return {joined.solution.summary, written_files(*directory_)};
}

ReconResult PartsRun::run() {
  together([this] { estimate_study(); });
  check_memory();
  together([this] { read(); });
  share();
  together([this] { make_problems(); });
  // Process 0 makes the directory before the others look into it.
  together([this] {
    if (first()) open_directory();
  });
  together([this] {
    if (!first()) open_directory();
  });
  phases_.end("reading");
  solve_all();
  phases_.end("solving");
  const std::vector<PartResult> all = gather();
  ReconResult result{works_.front().solution.summary, {}};
  if (first()) result = write(all);
  if (result.summary.termination.converged) {
    for (const Work& work : works_) work.checkpoints->remove_all();
  }
  return result;
}

}  // namespace

ReconResult reconstruct_parts(const ReconArguments& arguments, const RunCallbacks& callbacks,
                              Processes& processes) {
  return PartsRun(arguments, callbacks, processes).run();
}

}  // namespace firm
