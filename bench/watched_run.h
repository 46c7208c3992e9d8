// A run of the paper's study that goes on until it is stopped, and how fast it is meanwhile.
#pragma once

#include <string>
#include <vector>

#include "child_process.h"
#include "service/dashboard_client.h"

namespace firm {

// `firm recon` with these rounds of firm, in directory/run; with a dashboard on any port or none.
std::vector<std::string> run_command(const std::string& directory, int rounds, bool dashboard);

// Of history.jsonl: seconds from the start to the end of each round, by its number.
std::vector<double> seconds_of_rounds(const std::string& directory);

class WatchedRun {
 public:
  explicit WatchedRun(const std::string& directory);

  const std::string& url() const { return url_; }
  // The last round, as the server knows it: a second old at most.
  std::size_t round();
  // Ends it; seconds_of_rounds() has all rounds then.
  void stop();

 private:
  ChildProcess process_;
  std::string url_;
  DashboardClient client_;
};

}  // namespace firm
