#include "io/files/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "firm/error.h"

namespace firm {
namespace {

std::string lock_path(const std::string& directory) {
  return (std::filesystem::path(directory) / DirectoryLock::kFile).string();
}

// Locks an open file unless somebody else has; returns false if so.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) {
  const std::string path = lock_path(directory);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw data_error({path, "", "a file that can be written", std::strerror(errno)});
  if (lock(file_)) return;
  ::close(file_);
  throw usage_error(
      {directory, "--out", "a directory that no other process uses",
       "one that another process uses; wait until it ends, or choose another directory"});
}

bool DirectoryLock::held(const std::string& directory) {
  const int file = ::open(lock_path(directory).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool free = lock(file);
  ::close(file);
  return !free;
}

DirectoryLock::~DirectoryLock() { ::close(file_); }

}  // namespace firm
