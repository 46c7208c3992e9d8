// RunClaim: keeps a run directory for one reconstruction, and other processes out of it.
#pragma once

#include <optional>
#include <string>

#include "io/files/directory_lock.h"
#include "run/store/run_directory.h"

namespace firm {

class RunClaim {
 public:
  // Throws firm::Error if the directory cannot take the run: it is a file, cannot be written, holds
  // a run that `start` does not allow, or is in use by another process. Creates and changes nothing
  // but the file "lock" of a run to resume, so that it can be called before any data is read.
  RunClaim(std::string path, RunDirectory::Start start);

  // Creates the directory if needed. From now on no other process can claim it. Throws firm::Error.
  void take();

 private:
  std::string path_;
  std::optional<DirectoryLock> lock_;
};

}  // namespace firm
