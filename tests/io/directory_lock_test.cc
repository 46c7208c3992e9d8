#include "io/files/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

TEST(DirectoryLock, ExcludesOtherProcesses) {
  const TemporaryDirectory directory;
  std::optional<DirectoryLock> first(directory.path());
  const std::string text = error_of([&] { DirectoryLock second(directory.path()); });
  EXPECT_CONTAINS(text, "expected a directory that no other process uses");
  first.reset();
  DirectoryLock second(directory.path());
}

TEST(DirectoryLock, IsReleasedWhenItsProcessIsKilled) {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    const DirectoryLock lock(directory.path());
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const DirectoryLock lock(directory.path());
}

TEST(DirectoryLock, RefusesUnwritableDirectory) {
  const TemporaryDirectory directory;
  const std::string text = error_of([&] { DirectoryLock lock(directory / "none"); });
  EXPECT_CONTAINS(text, "none/lock: expected a file that can be written");
}

}  // namespace
}  // namespace firm
