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

[[noreturn]] void try_here(const std::function<void()>& work) {
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(number, SIG_DFL);
  try {
    work();
  } catch (...) {
    // The caller will see it again.
  }
  ::_exit(0);
}

// Whether it ends within that time. Where the system cannot tell, it is waited for without limit.
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

// Nothing when it takes too long.
std::optional<bool> survives_for(double seconds, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) try_here(work);
  if (child < 0) {
    throw data_error({"a child process", "", "memory to look at a file", std::strerror(errno)});
  }
  const bool in_time = ends_within(seconds, child);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;  // somebody else has waited for it
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
