// DirectoryLock: keeps other processes out of a directory while one process works in it.
//
// Locks the file "lock" in the directory. The system releases the lock when the process ends,
// however it ends; the file stays.
#pragma once

#include <string>

#include "core/file_descriptor.h"

namespace firm {

class DirectoryLock {
 public:
  static constexpr const char* kFile = "lock";

  // Throws firm::Error: kUsage when another process holds the lock, kData when the file system has
  // no locks.
  explicit DirectoryLock(const std::string& directory);
  // Whether another process, or another lock of this one, holds it now. Creates nothing.
  static bool held(const std::string& directory);

 private:
  FileDescriptor file_;
};

}  // namespace firm
