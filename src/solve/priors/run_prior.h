// RunPrior: the prior that the options of a run ask for. Finds its strength, makes it for a method,
// and describes it for the summary.
#pragma once

#include <memory>
#include <optional>

#include "core/archive.h"
#include "firm/options.h"
#include "firm/solution.h"
#include "model/collective.h"
#include "model/prior.h"
#include "solve/footprint.h"

namespace firm {

inline bool has_prior(const SolveOptions& options) { return options.prior.kind != "none"; }

class RunPrior {
 public:
  // `options` as the user gave them: stop.discrepancy, if set, tells the noise.
  RunPrior(Problem& problem, const SolveOptions& options);

  // Takes the strength from the options or from the state of a run that is resumed, or finds it.
  // All processes of a run call it.
  void choose(Collective& collective, Archive* resume);

  PriorFactory factory() const;
  // Weight of each hosted column for PrimalDual; empty if proximal gradient steps are faster.
  std::vector<double> primal_dual() const;
  // Whether a run with these options may take PrimalDual. The data decides: unknown before a run.
  static bool may_take_primal_dual(const SolveOptions& options);
  // Images to start from, those of the search; null: none.
  const Block* start() const { return start_ ? &*start_ : nullptr; }
  void forget_start() { start_.reset(); }
  // Keeps strength and curve. The dual belongs to the method.
  void archive(Archive& archive);
  // `term`: the prior as the method applies it; null if it hosts no image with a prior.
  PriorSummary summary(const PriorTerm* term) const;

  // Adds the prior's arrays to those of a method that applies it to `images` hosted images, and
  // makes room for the search, which ends before the method starts. Adds nothing if there is no
  // prior.
  static void add_footprint(const SolveOptions& options, const HostedSize& size,
                            std::uint64_t images, MethodFootprint& method);

 private:
  double slice_scale() const;
  void agree_on_solver(Collective& collective);

  Problem& problem_;
  PriorOptions options_;
  std::uint64_t seed_;
  std::vector<double> noise_;        // of each hosted column
  std::vector<double> unit_lambda_;  // of each hosted column, at strength 1
  double strength_ = 0;
  bool low_noise_ = false;  // at all sites, so that PrimalDual is faster
  std::vector<PriorSummary::Point> curve_;
  std::optional<Block> start_;
};

}  // namespace firm
