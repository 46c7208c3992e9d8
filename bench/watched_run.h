// A run of the paper's study that continues until it is stopped, and the time of its rounds.
#pragma once

#include <string>
#include <vector>

#include "core/child_process.h"
#include "support/dashboard_client.h"

namespace firm {

// Command of `firm recon --method firm` in directory/run, with a dashboard on a free port if
// wanted.
std::vector<std::string> run_command(const std::string& directory, int rounds, bool dashboard);

// Reads history.jsonl: seconds from the start of the run to the end of each round.
std::vector<double> seconds_of_rounds(const std::string& directory);

class WatchedRun {
 public:
  explicit WatchedRun(const std::string& directory);

  const std::string& url() const { return url_; }
  // Number of the last round, at most a second old.
  std::size_t round();
  // Stops the run; afterwards seconds_of_rounds() has all rounds.
  void stop();

 private:
  ChildProcess process_;
  std::string url_;
  DashboardClient client_;
};

}  // namespace firm
