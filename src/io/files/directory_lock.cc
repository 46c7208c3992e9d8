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

DirectoryLock::DirectoryLock(const std::string& directory) {
  const std::string path = (std::filesystem::path(directory) / kFile).string();
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw data_error({path, "", "a file that can be written", std::strerror(errno)});
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file_);
  throw usage_error(
      {directory, "--out", "a directory that no other process uses",
       "one that another process uses; wait until it ends, or choose another directory"});
}

DirectoryLock::~DirectoryLock() { ::close(file_); }

}  // namespace firm
