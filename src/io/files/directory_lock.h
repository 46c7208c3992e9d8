// DirectoryLock: keeps a second process away from a directory that one process works in.
//
// The lock is on the file "lock" in it. The system gives it back when the process ends, however it
// ends; the file stays. Where the file system knows no locks there is none.
#pragma once

#include <string>

namespace firm {

class DirectoryLock {
 public:
  // Throws firm::Error (kUsage) when another process has it.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

}  // namespace firm
