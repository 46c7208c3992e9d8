// Dashboard: a page that shows a run while it goes on, from the callbacks of the run.
#pragma once

#include <memory>
#include <string>

#include "live/live_run.h"
#include "run/run_callbacks.h"
#include "solve/options.h"

namespace firm {

class Dashboard {
 public:
  // `kind` as in LiveFacts; `where`: what --dashboard was given. Listens at once. Throws
  // firm::Error.
  Dashboard(const std::string& kind, const std::string& where);
  ~Dashboard();

  // What to open, token included.
  std::string url() const;
  // A warning for who listens where others can, or empty.
  std::string warning() const;
  LiveRun& run() { return run_; }

  // Adds itself to what is there already; events come by run().add_message.
  void watch(RunCallbacks& callbacks);
  // What a page shows of a study and its options from the start on; a coordinator's page has no
  // `study`.
  static nlohmann::ordered_json first_summary(const StudyFile& study, const SolveOptions& options);

  // The run is over: `directory` has its report; empty: it wrote none. Pages that are open get it.
  void end(const std::string& state, const std::string& stage, const std::string& directory);

 private:
  class Impl;
  LiveRun run_;
  std::vector<std::string> names_;  // of the residuals of a round
  RemainingTime remaining_time_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firm
