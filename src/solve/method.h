// Method: one way to solve a study, written as the steps of a process between two sums.
//
//     prepare()             once: what a process computes alone before the first round
//
//     share()               computes this process's share of the round, and scalars of the images
//     (sum over all sites)
//     add_global_scalars()  adds scalars that follow from the sum and are the same at every site
//     (sum of the scalars over all slices)
//     judge()               judges the images that the share was computed from
//     update()              makes the next images
//
// A round judges the images of the round before: their objective is a by-product of the share.
// Images and sinograms are allocated in the constructor, never after.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.h"
#include "firm/block.h"
#include "firm/error.h"
#include "firm/options.h"
#include "firm/solution.h"
#include "model/collective.h"
#include "model/prior.h"
#include "model/problem.h"

namespace firm {

// Numbers that travel with a share; each is a sum over sites and slices.
struct Scalars {
  double objective = 0;     // sum_i (1 / s_i^2) ||A_i w_i - b_i||^2 + R(w)
  double step_squared = 0;  // ||w - w_before||^2
  double kkt_squared = 0;   // squared norm of the projected gradient
  double unmet = 0;         // columns above their discrepancy level
  double size_squared = 0;  // ||w||^2
  double xrt_squared = 0;   // ||w_N||^2
  double early = 0;         // votes against the limit of time, of processes that have time left
  double interrupted = 0;   // votes to stop, of processes whose user has interrupted them

  std::span<double> span() { return {&objective, 8}; }
};

// The outcome of judge().
struct Verdict {
  bool repeat = false;  // make the share again: its step was wrong
  std::optional<Termination> done;
};

class Method {
 public:
  Method() = default;
  virtual ~Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  // Exchanges nothing. The solver calls it in set-up, where InterruptionScope ends long work, and
  // after a state to resume from has been read.
  virtual void prepare() {}
  virtual void share() = 0;
  virtual std::span<float> vector() = 0;  // the share, replaced by the sum
  virtual void add_global_scalars() {}
  virtual Verdict judge() = 0;
  virtual void update() = 0;

  // Called once after the last round, to exchange the parts of its own image that a site lacks.
  virtual void finish(Collective& /*collective*/) {}

  // Hosted images: pixels x Problem::columns().
  virtual const Block& images() = 0;
  // Whether images() is complete after every round, or only after finish().
  virtual bool knows_images() const { return true; }
  // ||A w - b||^2 of each hosted column, of the images judged last.
  virtual const std::vector<double>& residuals() const = 0;
  // ||D w|| of the images judged last, if this process can know it.
  virtual std::optional<double> violation() const { return {}; }
  // Archives the state that a checkpoint keeps.
  virtual void archive(Archive& archive) = 0;

  // Default limit of rounds.
  virtual int round_limit() const = 0;
  // Whether D w = 0 holds by construction.
  virtual bool exact_primal() const { return false; }
  // Rounds until the method's own rule ends the run; 0: unknown.
  virtual int expected_rounds() const { return 0; }
  // Time spent in products with A and its transpose.
  virtual double projection_seconds() const = 0;
  // Local steps taken so far.
  virtual long local_iterations() const = 0;
  // Step size of the round, for the history; 0: the method has no single one.
  virtual double step_size() const { return 0; }
  // Default stop rules, used if the options have none.
  virtual StopOptions default_stop() const { return {}; }

  // The prior that the method applies, if any.
  virtual const PriorTerm* prior() const { return nullptr; }
  // Continues from the current images after a refiner has changed data or matrices of the problem.
  // Only for methods whose row says `refines`.
  virtual void problem_changed() { check_failed("the method refines", __FILE__, __LINE__); }

  Scalars scalars;
};

// Input for the factory of a method.
struct MethodInput {
  Problem& problem;
  const SolveOptions& options;
  Collective& collective;
  PriorFactory prior = {};       // empty: none
  const Block* start = nullptr;  // images to start from: pixels x Problem::columns(); null: none
  // Weight of the total variation of each hosted column, if there is so little noise that the
  // local problems are solved by PrimalDual; empty: by proximal gradient steps.
  std::vector<double> primal_dual = {};
};

// Discrepancy levels max(b) sqrt(m) s of the hosted columns; 0 for `other`, and when s is 0.
std::vector<double> discrepancy_levels(const Problem& problem, double s);
// Levels of the rule in force: discrepancy levels, or sigma sqrt(m) with stop.noise. For methods
// that have no NoiseStop.
std::vector<double> residual_levels(const Problem& problem, const StopOptions& stop);
// Residual at s = 1, over all slices of a hosted variable.
double full_scale(const Problem& problem, std::size_t variable);
// Number of columns with ||A w - b|| above their level.
double count_unmet(const std::vector<double>& squares, const std::vector<double>& levels);

}  // namespace firm
