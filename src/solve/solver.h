// Solver: runs a method until a stop rule holds, and certifies what it found.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/certificate.h"
#include "model/collective.h"
#include "model/problem.h"
#include "solve/method.h"
#include "solve/options.h"

namespace firm {

// One round, as the history keeps it. It describes the images after `round` rounds.
struct RoundRecord {
  int round = 0;
  double seconds = 0;
  double objective = 0;
  double step_norm = 0;             // ||w - w_before||
  std::optional<double> violation;  // ||D w||, where this process can know it
  double kkt = 0;                   // relative; of the images before, as it costs nothing then
  double step_size = 0;             // eta, where the method has one
  std::vector<double> residuals;    // ||A_i w_i - b_i|| of each hosted variable, all slices
  std::optional<double> error;      // distance to the truth, where it is known
  // What is to come; the history does not keep it. The round at which a limit or, by its trend, a
  // rule will end the run, 0: not known; and whether it is a limit.
  int end = 0;
  bool end_is_limit = false;
};

struct SiteSummary {
  std::string name;
  double residual = 0;     // ||A_i w_i - b_i||
  double discrepancy = 0;  // residual / (max(b_i) sqrt(m_i)): the noise level it fits
  double full_scale = 0;   // residual that a noise level of 1 stands for, over all slices
  double bytes_up = 0;     // what a site of its own sends and receives in such a run
  double bytes_down = 0;
  std::optional<double> error;  // ||w_i - truth||
};

struct Summary {
  std::string method;
  int rounds = 0;
  int exchanges = 0;  // sums, those before and after the rounds included
  long local_iterations = 0;
  double objective = 0;
  double step_norm = 0;
  double lambda_max = 0;
  double projection_seconds = 0;
  double seconds = 0;
  int threads = 0;
  std::string kernel;
  Certificate certificate;
  Termination termination;
  StopOptions stop;  // as used
  std::vector<SiteSummary> sites;
  std::optional<double> error;  // distance to the truth over all sites
};

// What the caller may want to do along the way. All may be empty.
struct Observer {
  // `limit`: rounds after which the run ends at the latest.
  std::function<void(const RoundRecord&, int limit)> on_round;
  // Asked in every round; true ends the run after the next one ("interrupted").
  std::function<bool()> interrupted;
  // Called before a round, when the state is whole; `ending` when a limit makes it the last.
  std::function<void(int round, bool ending, const std::function<void(Archive&)>& state)> on_state;
  // Asked after a round; if so, and if the method has them, the images: pixels x
  // Problem::columns().
  std::function<bool()> wants_images;
  std::function<void(const Block&)> on_images;
};

struct SolveInput {
  Problem* problem = nullptr;
  Collective* collective = nullptr;
  SolveOptions options;
  const Block* truth = nullptr;  // hosted sites' true images: pixels x Problem::columns()
  Observer observer;
  Archive* resume = nullptr;  // state to go on from
};

struct Solution {
  Summary summary;
  Block images;      // hosted: pixels x Problem::columns()
  Block multiplier;  // mu: pixels x slices
};

// Making a Solver checks whether the method can do the study (firm::Error, kUsage), and reads the
// state to resume from; `run` does the work, once.
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
