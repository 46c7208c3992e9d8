// Results: what has been computed so far, one file for each task, so that a stopped run goes on
// where it was.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "paper/trial.h"

namespace firm::paper {

class Results {
 public:
  // Files are in directory/results, which is created when needed.
  explicit Results(const std::string& directory);

  // Whether the task of that id has been done, by this version of the program. Throws firm::Error
  // when its file cannot be understood.
  bool has(const std::string& id);
  // Keeps it, and writes its file. May be called from several threads.
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
