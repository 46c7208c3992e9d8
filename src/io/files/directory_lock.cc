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

// Locks an open file unless somebody else has; returns false if so. Throws firm::Error when the
// file cannot be locked at all: two processes would then spoil each other's files.
bool lock(const FileDescriptor& file, const std::string& path) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno == EINTR) continue;
    throw data_error({path, "", "a file that can be locked",
                      fmt::format("{}; choose a directory on a file system that has locks",
                                  std::strerror(errno))});
  }
  return true;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory)
    : file_(::open(lock_path(directory).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  const std::string path = lock_path(directory);
  if (!file_.ok()) throw data_error({path, "", "a file that can be written", std::strerror(errno)});
  if (lock(file_, path)) return;
  throw usage_error(
      {directory, "--out", "a directory that no other process uses",
       "one that another process uses; wait until it ends, or choose another directory"});
}

bool DirectoryLock::held(const std::string& directory) {
  const FileDescriptor file(::open(lock_path(directory).c_str(), O_RDWR | O_CLOEXEC));
  return file.ok() && !lock(file, lock_path(directory));
}

}  // namespace firm
