// Solver: runs a method until a stop rule holds, and certifies its images.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.h"
#include "firm/observer.h"
#include "firm/options.h"
#include "firm/solution.h"
#include "model/collective.h"
#include "model/prior.h"
#include "model/problem.h"
#include "solve/refiner.h"

namespace firm {

struct SolveInput {
  Problem* problem = nullptr;
  Collective* collective = nullptr;
  SolveOptions options = {};
  const Block* truth = nullptr;  // hosted sites' true images: pixels x Problem::columns()
  Observer observer = {};
  // Called before each round with the complete state; `ending`: a limit makes this round the last.
  std::function<void(int round, bool ending, const std::function<void(Archive&)>& state)> on_state =
      {};
  Archive* resume = nullptr;  // state to resume from
  PriorFactory prior = {};    // empty: none
  // Images to start from, of all hosted variables; for methods that take a prior. Null: none. Only
  // until the Solver is made.
  const Block* start = nullptr;
  std::vector<Refiner*> refiners = {};  // in the order in which they look at the images
  // Local steps after which refiners look at images that have not converged yet; the run then ends
  // when no refiner changes anything. 0: only converged images.
  long refine_after = 0;
};

// The constructor checks that the method can solve the study (throws firm::Error, kUsage), reads
// the state to resume from and prepares the method, which may take longer than all rounds. An
// InterruptionScope may end it. Call run() once.
class Solver {
 public:
  explicit Solver(const SolveInput& input);
  ~Solver();

  Solution run();

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

inline Solution solve(const SolveInput& input) { return Solver(input).run(); }

}  // namespace firm
