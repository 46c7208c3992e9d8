#include "run/shard/chunk_run.h"

#include "run/store/identity.h"
#include "run/store/run_output.h"

namespace firm {

ChunkRun::ChunkRun(const ChunkInput& input, const SliceRange& slices)
    : input_(input), slices_(slices), loaded_(load_study(input.study, input.path, slices)) {
  for (const SiteData& data : loaded_.data) fingerprints_.push_back(fingerprint(data));
  identity_ = run_identity(loaded_.study, input.options, fingerprints_);
}

void ChunkRun::prepare(const std::string& checkpoint, const Observer& observer) {
  const SolveOptions& options = input_.options;
  problem_ = std::make_unique<Problem>(loaded_.study, loaded_.data,
                                       ProblemOptions{options.threads, "auto"});
  loaded_.data.clear();  // the problem has its own
  variables_ = problem_->variables();
  truth_ = read_truth(input_.truth, loaded_.study, variables_,
                      {static_cast<std::size_t>(input_.study.file.slices), slices_.first});
  if (!checkpoint.empty()) checkpoint_.emplace(checkpoint, identity_);
  SolveInput input;
  input.problem = problem_.get();
  input.collective = &collective_;
  input.options = options;
  input.truth = truth_ ? &*truth_ : nullptr;
  input.resume = checkpoint_ ? &*checkpoint_ : nullptr;
  input.observer = observer;
  solver_ = std::make_unique<Solver>(input);
}

Solution ChunkRun::solve() {
  Solution solution = solver_->run();
  solver_.reset();
  problem_.reset();
  truth_.reset();
  checkpoint_.reset();
  return solution;
}

}  // namespace firm
