// RunCallbacks: callbacks of a run. Any of them may be empty. All are called from the working
// thread, except `interrupted`, `paused_seconds` and `wants_images`.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/progress.h"
#include "firm/observer.h"
#include "firm/refinement.h"
#include "io/files/image_file.h"
#include "io/study/study_file.h"
#include "solve/method.h"

namespace firm {

using SiteScales = std::map<std::string, double>;

// A run that is about to start. A site of a federation starts again with every attempt.
struct RunStart {
  const StudyFile& study;  // as resolved
  const SolveOptions& options;
  std::string history;             // history lines of finished rounds
  std::vector<std::string> names;  // of RoundRecord::residuals
  std::size_t chunk = 0;
  std::size_t chunks = 1;
  // Residual at a noise level of 1, by site, for each chunk up to this one; empty: unknown.
  std::vector<SiteScales> full_scales = {};
  const Refinement* refined = nullptr;  // what alignment has found; null: nothing was refined
};

// Images after a round.
struct ImagesNow {
  const Block& images;  // pixels x (variables x slices)
  const std::vector<Variable>& variables;
  ImageGrid grid;
  std::size_t first_slice = 0;  // of a chunk
  std::size_t all_slices = 0;
};

struct RunCallbacks {
  Progress progress;  // of reading and writing
  // Receives lines for people: memory needed, chunks that start, warnings.
  std::function<void(const std::string&)> on_event;
  std::function<void(const RunStart&)> on_start;
  // Called after on_start and before the first round, if the run has a prior.
  std::function<void(const PriorSummary&)> on_prior;
  // Called in each outer round of self-absorption, after on_start and before the first round: the
  // sites of this process, with their masses so far.
  std::function<void(const AbsorptionSummary&)> on_absorption;
  // Called after every round. The run, or its chunk, ends after `limit` rounds at the latest;
  // `line` is the round's line of history.jsonl.
  std::function<void(const RoundRecord&, int limit, const std::string& line)> on_round;
  // Called after every round. If it returns true and the method has complete images, on_images
  // receives them.
  std::function<bool()> wants_images;
  std::function<void(const ImagesNow&)> on_images;
  std::function<bool()> interrupted;
  // Returns the seconds for which on_round has held the run so far; they do not count as its time.
  std::function<double()> paused_seconds;
};

// Returns the full scales of the sites that `problem` hosts.
inline SiteScales full_scales(const Problem& problem) {
  SiteScales scales;
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    if (problem.variables()[v].measured) {
      scales[problem.variables()[v].name] = full_scale(problem, v);
    }
  }
  return scales;
}

// Lets an observer of a solver show images through `callbacks`.
inline void show_images(const RunCallbacks& callbacks, Observer& observer,
                        const std::function<void(const Block&)>& show) {
  if (!callbacks.on_images || !callbacks.wants_images) return;
  observer.wants_images = callbacks.wants_images;
  observer.on_images = show;
}

}  // namespace firm
