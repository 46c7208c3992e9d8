// Results: the results of all completed tasks, one file per task, so that a stopped command can be
// resumed.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "paper/trial.h"

namespace firm::paper {

class Results {
 public:
  // Keeps files in directory/results, which is created if needed.
  explicit Results(const std::string& directory);

  // Whether this version of the program has completed the task. Throws firm::Error if the file of
  // the task is not a result.
  bool has(const std::string& id);
  // Stores a result and writes its file. Thread-safe.
  void put(const std::string& id, const Json& result);

  const Json& get(const std::string& id) const;
  TrialResult get(const Trial& trial) const { return trial_result(get(trial.id())); }

 private:
  std::string path(const std::string& id) const;

  std::string directory_;
  std::mutex mutex_;
  std::map<std::string, Json> done_;
};

}  // namespace firm::paper
