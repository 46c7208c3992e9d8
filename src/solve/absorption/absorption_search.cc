// The search for T before a study is solved.
#include <utility>

#include "solve/absorption/absorption_start.h"
#include "solve/absorption/self_absorption.h"
#include "solve/registry.h"
#include "solve/solver.h"

namespace firm {
namespace {

// Steps of an outer round, and of each exchange within it.
constexpr int kSteps = 100;
constexpr int kLocalSteps = 50;
constexpr int kNoLimit = 1000000;
constexpr double kTight = 1e-9;

int rounds_of_steps(const std::string& method) {
  return find_method(method).joint ? kSteps / kLocalSteps : kSteps;
}

SolveInput solver_input(const SelfAbsorption::Search& search) {
  SolveInput input;
  input.problem = &search.problem;
  input.collective = &search.collective;
  input.options.method = search.method;
  input.options.ds.local_steps = kLocalSteps;
  input.options.pgd.accelerated = true;
  input.options.stop.kkt = kTight;  // no rule that ends at the noise, whose steps are slow
  input.options.threads = search.problem.threads();
  input.observer.interrupted = search.interrupted;
  return input;
}

bool was_interrupted(const Solution& solution) {
  return solution.summary.termination.reason == "interrupted";
}

}  // namespace

// Rounds of the solver without absorption, then those of the outer rounds; each of them ends with
// one more, in which nothing moves.
int SelfAbsorption::most_rounds(const AbsorptionOptions& options, const std::string& method) {
  return 1 + (1 + options.rounds) * (rounds_of_steps(method) + 1);
}

bool SelfAbsorption::find(const Search& search) {
  const int without = rounds_of_steps(search.method);
  Archive* state_left = search.resume;  // until the solver that it belongs to has it
  const auto run = [&](SolveInput input, int first) {
    if (search.on_state) {
      input.on_state = [&, first, limit = input.options.stop.rounds](int round, bool ending,
                                                                     const auto& state) {
        search.on_state(first + round, ending && round < limit, [&](Archive& archive) {
          state(archive);
          if (input.refiners.empty()) this->archive(archive);
        });
      };
    }
    input.resume = std::exchange(state_left, nullptr);
    Solver solver(input);
    if (input.resume != nullptr && search.resumed) search.resumed();
    return solver.run();
  };

  Block start(search.problem.pixels(), search.problem.columns());
  SolveInput input = solver_input(search);
  if (stage_ == Stage::kWithout) {
    input.options.stop.rounds = without;
    const Solution solution = run(input, 1);
    if (was_interrupted(solution)) return false;
    start = begin(search.problem, solution.images, search.collective);
    stage_ = Stage::kRounds;
  }
  if (study_.attenuation == Attenuation::kElements) {  // XRT does not depend on the images
    input.options.stop.rounds = kNoLimit;
    input.start = &start;
    input.refiners = {this};
    input.refine_after = kSteps;
    if (was_interrupted(run(input, 2 + without))) return false;
  }
  stage_ = Stage::kFound;
  return true;
}

// Makes the first T from images that were found without absorption. Returns the images to continue
// from.
Block SelfAbsorption::begin(Problem& problem, const Block& images, Collective& collective) {
  record_masses(problem, images);
  const bool published = study_.attenuation == Attenuation::kXrt;
  const bool scale = !published && options_.start != "plain";
  Block start = scale ? scaled(problem, images, collective) : images;
  make_round(problem, published ? publish_xrt(problem, collective) : start, collective);
  return start;
}

}  // namespace firm
