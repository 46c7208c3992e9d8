// What a caller may show or ask for while a run goes on. All may be empty; all are called from the
// thread that does the work, but for `interrupted` and `wants_images`.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/files/image_file.h"
#include "io/study/study_file.h"
#include "solve/solver.h"

namespace firm {

using SiteScales = std::map<std::string, double>;

// A run that is about to compute. Sites of a federation begin anew with every attempt.
struct RunStart {
  const StudyFile& study;  // as resolved
  const SolveOptions& options;
  std::string history;             // lines of the rounds that are done
  std::vector<std::string> names;  // of RoundRecord::residuals
  std::size_t chunk = 0;
  std::size_t chunks = 1;
  // Of each chunk up to this one, residuals that a noise level of 1 stands for, by site; empty: not
  // known.
  std::vector<SiteScales> full_scales = {};
};

// Images as they are after a round.
struct ImagesNow {
  const Block& images;  // pixels x (variables x slices)
  const std::vector<Variable>& variables;
  ImageGrid grid;
  std::size_t first_slice = 0;  // of a chunk
  std::size_t all_slices = 0;
};

struct RunCallbacks {
  Progress progress;  // of reading and writing
  // A line for people: memory that is needed, chunks that begin.
  std::function<void(const std::string&)> on_event;
  std::function<void(const RunStart&)> on_start;
  // Called after every round; `limit` is the number of rounds after which the run, or its chunk,
  // ends at the latest; `line` as in history.jsonl.
  std::function<void(const RoundRecord&, int limit, const std::string& line)> on_round;
  // Whether anybody wants to see images, asked after every round; they come if so, where the method
  // has images then.
  std::function<bool()> wants_images;
  std::function<void(const ImagesNow&)> on_images;
  std::function<bool()> interrupted;
};

// Of the sites that `problem` hosts.
inline SiteScales full_scales(const Problem& problem) {
  SiteScales scales;
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    if (problem.variables()[v].measured) {
      scales[problem.variables()[v].name] = full_scale(problem, v);
    }
  }
  return scales;
}

// What an observer of a solver does for `callbacks`, about images.
inline void show_images(const RunCallbacks& callbacks, Observer& observer,
                        const std::function<void(const Block&)>& show) {
  if (!callbacks.on_images || !callbacks.wants_images) return;
  observer.wants_images = callbacks.wants_images;
  observer.on_images = show;
}

}  // namespace firm
