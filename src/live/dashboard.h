// Dashboard: serves a page that shows a run while it goes on. Listens to the callbacks of the run.
#pragma once

#include <memory>
#include <string>

#include "firm/options.h"
#include "live/live_run.h"
#include "run/run_callbacks.h"

namespace firm {

class Dashboard {
 public:
  // `kind` as in LiveFacts; `address` is the value of --dashboard. Listens at once. Throws
  // firm::Error.
  Dashboard(const std::string& kind, const std::string& address);
  ~Dashboard();

  // Address to open in a browser, with the token.
  std::string url() const;
  // A warning if other machines can reach the address, else an empty string.
  std::string warning() const;
  LiveRun& run() { return run_; }

  // Adds its own handlers to those already in `callbacks`. Messages are added by
  // run().add_message().
  void watch(RunCallbacks& callbacks);
  // `summary` of the document before the run has one.
  static nlohmann::ordered_json first_summary(const StudyFile& study, const SolveOptions& options);

  // Sends the report in `directory` to all open pages; `directory` is empty if the run wrote none.
  // Call it when the run is over.
  void end(const std::string& state, const std::string& stage, const std::string& directory);

 private:
  class Impl;
  LiveRun run_;
  std::vector<std::string> names_;  // of the sites, in the order of a round's residuals
  RemainingTime remaining_time_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firm
