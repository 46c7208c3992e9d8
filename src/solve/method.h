// Method: one way to solve a study, written as what a process does between two sums.
//
//     share()   compute this process's share of the round, and what it knows about the images;
//     (the sum over all sites)
//     add_global_scalars()   add to the scalars what every site can tell from the sum;
//     (the sum of the scalars over all slices)
//     judge()  judge the images that the share was computed from, now that the sum is known;
//     update()    make the next images.
//
// The images judged in a round are those made in the round before: their objective is a by-product
// of the share. Images and sinograms are allocated in the constructor, never after.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firm/block.h"
#include "model/collective.h"
#include "model/problem.h"
#include "solve/archive.h"
#include "solve/options.h"

namespace firm {

// Numbers that ride with a share; each is a sum over sites and slices.
struct Scalars {
  double objective = 0;     // sum_i (1 / s_i^2) ||A_i w_i - b_i||^2
  double step_squared = 0;  // ||w - w_before||^2
  double kkt_squared = 0;   // squared norm of the projected gradient
  double unmet = 0;         // columns that do not fit their data to the discrepancy level
  double size_squared = 0;  // ||w||^2
  double xrt_squared = 0;   // ||w_N||^2
  double late = 0;          // votes to stop: processes whose time is up,
  double interrupted = 0;   // and whose user has interrupted them

  std::span<double> span() { return {&objective, 8}; }
};

struct Termination {
  std::string reason;   // "eps", "kkt", "rounds", ...
  std::string message;  // with the numbers
  bool converged = true;
};

// What judge() says about the round.
struct Verdict {
  bool repeat = false;  // the share has to be made again: it was made with the wrong step
  std::optional<Termination> done;
};

class Method {
 public:
  Method() = default;
  virtual ~Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  virtual void share() = 0;
  virtual std::span<float> vector() = 0;  // the share, replaced by the sum
  virtual void add_global_scalars() {}
  virtual Verdict judge() = 0;
  virtual void update() = 0;

  // Called once after the last round: exchanges what a site still lacks of its own image.
  virtual void finish(Collective& /*collective*/) {}

  // Hosted images: pixels x Problem::columns().
  virtual const Block& images() = 0;
  // Whether they are those of the round already, or only after `finish`.
  virtual bool knows_images() const { return true; }
  // ||A w - b||^2 of each hosted column, of the images that were judged last.
  virtual const std::vector<double>& residuals() const = 0;
  // ||D w|| of the images that were judged last, where this process can know it.
  virtual std::optional<double> violation() const { return {}; }
  // Names the state that a checkpoint keeps.
  virtual void archive(Archive& archive) = 0;

  // Whether the images obey the coupling; pgd and plsqr solve each site alone.
  virtual bool joint() const { return true; }
  // Rounds after which to give up when the options do not say.
  virtual int round_limit() const = 0;
  // Whether D w = 0 holds by construction.
  virtual bool exact_primal() const { return false; }
  // Rounds until the method's own rule ends the run, if that is known; else 0.
  virtual int expected_rounds() const { return 0; }
  // Time spent in products with A and its transpose.
  virtual double projection_seconds() const = 0;
  // Local steps taken so far.
  virtual long local_iterations() const = 0;
  // The step size of the round, for the history; 0 when it has no single one.
  virtual double step_size() const { return 0; }
  // Rules that hold when the options have none.
  virtual StopOptions default_stop() const { return {}; }

  Scalars scalars;
};

// Discrepancy levels max(b) sqrt(m) s of the hosted columns; 0 for `other`, and when s is 0.
std::vector<double> discrepancy_levels(const Problem& problem, double s);
// Residual that s = 1 stands for, over all slices of a hosted variable.
double full_scale(const Problem& problem, std::size_t variable);
// Columns with ||A w - b|| above their level.
double count_unmet(const std::vector<double>& squares, const std::vector<double>& levels);

// Throws firm::Error (kUsage) when the method's theory does not carry the study. The collective is
// used for what has to be agreed first.
std::unique_ptr<Method> make_method(Problem& problem, const SolveOptions& options,
                                    Collective& collective);

}  // namespace firm
