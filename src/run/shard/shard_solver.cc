#include "run/shard/shard_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/interruption.h"
#include "firm/error.h"
#include "prep/site_noise.h"
#include "run/store/identity.h"
#include "run/store/run_output.h"
#include "solve/priors/run_prior.h"
#include "solve/registry.h"

namespace firm {

ShardSolver::ShardSolver(Shard shard, Study study, std::vector<SiteData> data, SolveOptions options)
    : shard_(std::move(shard)),
      study_(std::move(study)),
      data_(std::move(data)),
      options_(std::move(options)),
      fingerprints_(study_.sites.size()) {
  FIRM_CHECK(study_.slices == shard_.slices.count);
  for (SiteData& d : data_) {
    fingerprints_[d.site] = fingerprint(d);
    const auto beamlets = static_cast<std::size_t>(study_.sites[d.site].geometry.beamlets);
    const bool has_shape = d.values.rows() == study_.sites[d.site].geometry.rays();
    const bool unknown = !study_.noise_known() && d.guessed_sigma == 0;
    if (unknown && has_shape) d.guessed_sigma = guess_noise(d, beamlets);
  }
  identity_ = run_identity(study_, options_, fingerprints_);
  if (absorbs()) search_rounds_ = SelfAbsorption::most_rounds(options_.absorption, options_.method);
}

bool ShardSolver::absorbs() const {
  return study_.self_absorption() && options_.absorption.rounds > 0;
}

int ShardSolver::rounds_at(int checkpoint) const {
  return std::max(0, checkpoint - search_rounds_);
}

void ShardSolver::build(const Truth& truth, int threads, std::size_t most_absorption) {
  const MethodRow& method = find_method(options_.method);
  require_absorption_support(method, study_.self_absorption(), options_);
  if (method.require != nullptr) method.require(study_);
  require_coupling(method, study_);
  require_prior_support(method, has_prior(options_));
  if (options_.prior.slices && has_prior(options_) && truth.all_slices != study_.slices) {
    throw usage_error(
        {"solve", "prior.slices", fmt::format("all {} slices at once", truth.all_slices),
         fmt::format("{} of them in a chunk or process; use one chunk, or fewer processes",
                     study_.slices)});
  }
  ProblemOptions problem_options{.threads = threads};
  if (absorbs()) {
    absorption_ = std::make_unique<SelfAbsorption>(
        study_, SelfAbsorption::Setup{shard_.sites, options_.absorption, threads, most_absorption});
    problem_options.projectors = absorption_->factories();
  }
  problem_ = std::make_unique<Problem>(study_, data_, problem_options);
  data_.clear();
  variables_ = problem_->variables();
  truth_ = read_truth(truth.file, study_, variables_, {truth.all_slices, shard_.slices.first});
}

void ShardSolver::start(const Start& start) {
  SolveInput input;
  input.problem = problem_.get();
  input.collective = &start.collective;
  input.options = options_;
  input.truth = truth_ ? &*truth_ : nullptr;
  input.observer = start.observer;
  const bool searched = absorption_ && find_absorption(start);
  if (!searched) input.resume = start.checkpoint;
  // A search that was interrupted has left its own checkpoint to resume from. Its images so far
  // need no rule that first fits each site alone.
  const bool interrupted = absorption_ && !absorption_->found();
  if (interrupted) {
    input.options.stop = {};
    input.options.stop.kkt = 1e-4;
  }
  if (start.on_state && !interrupted) {
    input.on_state = [this, on_state = start.on_state, more = start.more_state](
                         int round, bool ending, const std::function<void(Archive&)>& state) {
      on_state(search_rounds_ + round, ending, [&](Archive& archive) {
        state(archive);
        if (absorption_) absorption_->archive(archive);
        if (more) more(archive);
      });
    };
  }
  solver_ = std::make_unique<Solver>(input);
  // Restored after the solver is made, because its set-up sums are those of a new run.
  if (input.resume != nullptr && start.more_state) start.more_state(*start.checkpoint);
}

// Finds T before the study is solved, from the beginning or from a checkpoint of the search.
// Returns false if the checkpoint has T.
bool ShardSolver::find_absorption(const Start& start) {
  absorption_->reset(*problem_);
  if (start.checkpoint != nullptr) absorption_->archive(*start.checkpoint);
  if (absorption_->found()) {
    absorption_->apply(*problem_);
    return false;
  }
  absorption_->on_round(start.observer.on_absorption);
  SelfAbsorption::Search search{*problem_, start.collective, options_.method,
                                start.observer.interrupted};
  const auto add_more = [&](Archive& archive) {
    if (start.more_state) start.more_state(archive);
  };
  search.resume = start.checkpoint;
  search.resumed = [&] { add_more(*start.checkpoint); };
  if (start.on_state) {
    search.on_state = [&](int round, bool ending, const std::function<void(Archive&)>& state) {
      start.on_state(round, ending, [&](Archive& archive) {
        state(archive);
        add_more(archive);
      });
    };
  }
  // The search stops between rounds, with a checkpoint.
  const UninterruptedScope uninterrupted;
  absorption_->find(search);
  return true;
}

Solution ShardSolver::solve() {
  Solution solution = solver_->run();
  if (absorption_) {
    solution.summary.absorption = absorption_->summary(*problem_, solution.images);
    solution.attenuation = absorption_->attenuation();
  }
  solver_.reset();
  return solution;
}

void ShardSolver::release() {
  solver_.reset();
  problem_.reset();
  absorption_.reset();
  truth_.reset();
}

}  // namespace firm
