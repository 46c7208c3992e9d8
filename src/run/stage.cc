#include "run/stage.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/interruption.h"
#include "core/parallel.h"
#include "federation/sums/fixed_point_collective.h"
#include "firm/error.h"
#include "prep/site_noise.h"
#include "run/store/run_json.h"
#include "solve/priors/run_prior.h"

namespace firm {
namespace {

Block cut_columns(const Block& all, const SliceRange& slices) {
  Block cut(all.rows(), slices.count);
  for (std::size_t row = 0; row < all.rows(); ++row) {
    for (std::size_t z = 0; z < slices.count; ++z) cut(row, z) = all(row, slices.first + z);
  }
  return cut;
}

}  // namespace

StageRun::StageRun(const Setup& setup, const std::vector<std::vector<Shard>>& of_process)
    : setup_(setup),
      of_process_(of_process),
      study_(setup.study),
      weighted_(setup.study.sites.size()) {
  for (const Shard& shard : of_process[setup.processes.rank()]) {
    Work& work = works_.emplace_back();
    work.shard = shard;
  }
  if (setup.callbacks.on_absorption) {
    absorption_rounds_ =
        std::make_unique<AbsorptionRounds>(works_.size(), setup.callbacks.on_absorption);
  }
}

// Prepares all slices of a site if shards run side by side, so that all shards of a site report the
// same.
void StageRun::read_site(Work& work, std::size_t site) {
  const std::string& name = setup_.study.sites[site].name;
  const bool cut = setup_.separate && work.shard.slices.count < setup_.study.slices;
  const SliceRange all{0, setup_.study.slices};
  PreparedSite prepared = setup_.data.prepare(name, cut ? all : work.shard.slices);
  SiteData data = std::move(prepared.data);
  data.site = site;
  if (cut && has_prior(setup_.options) && !setup_.study.noise_known()) {
    // A prior's weight follows from the noise: that of all slices, wherever they are solved.
    const int beamlets = setup_.study.sites[site].geometry.beamlets;
    data.guessed_sigma = guess_noise(data, static_cast<std::size_t>(beamlets));
  }
  if (cut) {
    data.values = cut_columns(data.values, work.shard.slices);
    if (data.weights.rows() > 0) data.weights = cut_columns(data.weights, work.shard.slices);
  }
  if (prepared.site.weighted_values) weighted_[site] = true;
  notes_.push_back(
      {site, preparation_json(prepared.report), preparation_lines(name, prepared.report)});
  work.data.push_back(std::move(data));
}

void StageRun::read() {
  for (Work& work : works_) {
    for (const std::size_t site : work.shard.sites) read_site(work, site);
  }
}

void StageRun::share() {
  share_weighted(weighted_, setup_.processes, study_);
  notes_ = gather_notes(notes_, setup_.processes);
  for (Work& work : works_) {
    work.solver = std::make_unique<ShardSolver>(work.shard, study_of(work), std::move(work.data),
                                                setup_.options);
  }
}

Study StageRun::study_of(const Work& work) const {
  Study study = study_;
  study.slices = work.shard.slices.count;
  return study;
}

void StageRun::build() {
  int threads = setup_.options.threads;
  if (works_.size() > 1) {  // they share the processor
    const auto all = static_cast<std::size_t>(thread_count(threads));
    threads = static_cast<int>(std::max<std::size_t>(1, all / works_.size()));
  }
  for (Work& work : works_) {
    work.solver->build({setup_.truth, setup_.study.slices}, threads, setup_.most_absorption);
    work.rounds = ShardRounds(work.solver->variables().size());
  }
}

void StageRun::use_checkpoints(std::vector<Checkpoints> files) {
  FIRM_CHECK(files.size() == works_.size());
  for (std::size_t k = 0; k < files.size(); ++k) {
    works_[k].checkpoints = std::make_unique<Checkpoints>(std::move(files[k]));
  }
}

void StageRun::resume_from(std::uint64_t round) {
  for (Work& work : works_) {
    work.resume =
        std::make_unique<Checkpoint>(work.checkpoints->path(round), work.solver->identity());
    start_round_ = work.solver->rounds_at(work.resume->round());
  }
}

std::vector<std::string> StageRun::residual_names() const {
  std::map<std::size_t, std::string> names;  // in the order of MergedRound
  for (const Work& work : works_) {
    for (const Variable& v : work.solver->variables()) names[v.slot] = v.name;
  }
  std::vector<std::string> ordered;
  for (const auto& [slot, name] : names) ordered.push_back(name);
  return ordered;
}

SiteScales StageRun::scales() const {
  SiteScales all;
  for (const Work& work : works_) all.merge(full_scales(work.solver->problem()));
  return all;
}

Observer StageRun::observer_of(Work& work, RunHistory* history) {
  Observer observer;
  // One vote to stop is enough, but all shards ask: each compares its sites with themselves alone.
  observer.interrupted = setup_.callbacks.interrupted;
  // All shards of a stage have the same strength.
  if (&work == &works_.front()) observer.on_prior = setup_.callbacks.on_prior;
  if (absorption_rounds_) {
    const auto shard = static_cast<std::size_t>(&work - works_.data());
    observer.on_absorption = [this, shard](const AbsorptionSummary& round) {
      absorption_rounds_->add(shard, round);
    };
  }
  observer.paused_seconds = setup_.callbacks.paused_seconds;
  observer.on_round = [&work, history, beside = setup_.separate](const RoundRecord& r, int limit) {
    if (beside) work.rounds.add(r);
    if (history != nullptr) history->add(work.shard, work.solver->variables(), r, limit);
  };
  if (!setup_.separate) {
    show_images(setup_.callbacks, observer, [this, &work](const Block& images) {
      const Study& study = setup_.study;
      setup_.callbacks.on_images({images, work.solver->variables(), image_grid(study),
                                  work.shard.slices.first, study.slices});
    });
  }
  return observer;
}

void StageRun::solve_alone(Work& work, RunHistory* history) {
  LocalCollective collective;
  std::optional<InterruptionScope> scope(setup_.set_up_interruption);
  work.solver->start(
      {.collective = collective,
       .checkpoint = work.resume.get(),
       .observer = observer_of(work, history),
       .on_state = [&](int round, bool ending, const std::function<void(Archive&)>& state) {
         if (!clock_.due() && !ending) return;
         if (history != nullptr) history->flush();
         work.checkpoints->write(work.solver->identity(), round, state);
       }});
  scope.reset();
  work.solution = work.solver->solve();
}

void StageRun::solve_beside(Work& work, LocalAllreduce& allreduce, RunHistory* history) {
  LocalExchange exchange(allreduce);
  FixedPointCollective collective(exchange);
  std::optional<InterruptionScope> scope(setup_.set_up_interruption);
  work.solver->start({.collective = collective,
                      .checkpoint = work.resume.get(),
                      .more_state = [&](Archive& archive) { collective.archive(archive); },
                      .observer = observer_of(work, history),
                      .on_state =
                          [&](int round, bool ending, const std::function<void(Archive&)>& state) {
                            if (!exchange.checkpoint_asked() && !ending) return;
                            work.checkpoints->write(work.solver->identity(), round, state);
                          }});
  scope.reset();
  work.solution = work.solver->solve();
}

void StageRun::solve_side_by_side(RunHistory* history) {
  const std::size_t groups = of_process_.back().back().group + 1;
  setup_.processes.split(works_.front().shard.group);
  LocalAllreduce allreduce(setup_.processes, {works_.size(), setup_.study.sites.size(), groups},
                           [this] { return clock_.due(); });
  std::mutex mutex;
  std::exception_ptr error;
  std::vector<std::jthread> threads;
  for (Work& work : works_) {
    threads.emplace_back([&] {
      try {
        solve_beside(work, allreduce, history);
      } catch (const PeerFailed&) {
        // The shard that failed reports the error.
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        allreduce.fail();
      }
    });
  }
  threads.clear();
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    setup_.processes.abandon(e.what(), e.exit_code());
    throw;
  } catch (const std::exception& e) {
    setup_.processes.abandon(e.what(), 1);
    throw;
  }
}

void StageRun::solve(RunHistory* history) {
  if (setup_.separate) {
    solve_side_by_side(history);
  } else {
    solve_alone(works_.front(), history);
  }
  for (Work& work : works_) work.resume.reset();
}

std::vector<ShardResult> StageRun::results() {
  std::vector<ShardResult> results;
  for (Work& work : works_) {
    ShardResult& r = results.emplace_back();
    r.shard = work.shard;
    r.solution = std::move(work.solution);
    // All shards with the same slices have the same multiplier.
    if (!work.shard.has(0)) r.solution.multiplier = Block();
    r.variables = work.solver->variables();
    r.fingerprints = work.solver->fingerprints();
    r.identity = work.solver->identity();
    r.rounds = std::move(work.rounds);
    work.solver->release();
  }
  return results;
}

void StageRun::remove_checkpoints() const {
  for (const Work& work : works_) work.checkpoints->remove_all();
}

}  // namespace firm
