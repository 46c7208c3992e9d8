// DirectoryLock: keeps other processes out of a directory while one process works in it.
//
// Locks the file "lock" in the directory. The system releases the lock when the process ends,
// however it ends; the file stays. Does nothing on a file system without locks.
#pragma once

#include <string>

namespace firm {

class DirectoryLock {
 public:
  static constexpr const char* kFile = "lock";

  // Throws firm::Error (kUsage) when another process holds the lock.
  explicit DirectoryLock(const std::string& directory);
  // Whether another process, or another lock of this one, holds it now. Creates nothing.
  static bool held(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

}  // namespace firm
