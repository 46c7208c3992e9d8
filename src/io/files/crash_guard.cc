#include "io/files/crash_guard.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "core/timing.h"
#include "firm/error.h"

namespace firm {
namespace {

[[noreturn]] void run_and_exit(const std::function<void()>& work) {
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(number, SIG_DFL);
  try {
    work();
  } catch (...) {
    // The caller repeats the work and gets the exception itself.
  }
  ::_exit(0);
}

// Whether the child ends in time. Always true on systems without pidfd_open: the wait has no limit.
bool ends_within(double seconds, pid_t child) {
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) return true;
  pollfd watched{handle, POLLIN, 0};
  const Stopwatch watch;
  int ended = 0;
  do {
    const double left = seconds - watch.seconds();
    ended = ::poll(&watched, 1, left > 0 ? static_cast<int>(1000 * left) + 1 : 0);
  } while (ended < 0 && errno == EINTR);
  ::close(handle);
  return ended != 0;
}

// None when the child takes too long.
std::optional<bool> survives_for(double seconds, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) run_and_exit(work);
  if (child < 0) {
    throw data_error({"a child process", "", "memory to check a file", std::strerror(errno)});
  }
  const bool in_time = ends_within(seconds, child);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;  // another thread has collected it
  }
  if (!in_time) return {};
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool survives_in_child(const std::function<void()>& work, const std::vector<double>& seconds) {
  for (const double limit : seconds) {
    if (const std::optional<bool> result = survives_for(limit, work)) return *result;
  }
  return false;
}

}  // namespace firm
