#include "io/files/crash_guard.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "core/file_descriptor.h"
#include "core/interruption.h"
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
// Throws Interrupted.
bool ends_within(double seconds, pid_t child) {
  constexpr double kStep = 0.1;  // between two questions whether the user interrupts
  const FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!handle.ok()) return true;
  pollfd watched{handle.get(), POLLIN, 0};
  const Stopwatch watch;
  while (true) {
    const double left = seconds - watch.seconds();
    const double step = std::clamp(left, 0.0, kStep);
    const int ended = ::poll(&watched, 1, step > 0 ? static_cast<int>(1000 * step) + 1 : 0);
    if (ended > 0 || (ended < 0 && errno != EINTR)) return true;
    if (left <= 0) return false;
    check_interruption();
  }
}

// Waits for the end of a child. None if another thread has collected it.
std::optional<int> status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {};
  }
  return status;
}

void end_child(pid_t child) {
  ::kill(child, SIGKILL);
  status_of(child);
}

// None when the child takes too long.
std::optional<bool> survives_for(double seconds, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) run_and_exit(work);
  if (child < 0) {
    throw data_error({"a child process", "", "memory to check a file", std::strerror(errno)});
  }
  try {
    if (!ends_within(seconds, child)) {
      end_child(child);
      return {};
    }
  } catch (const Interrupted&) {
    end_child(child);
    throw;
  }
  const std::optional<int> status = status_of(child);
  return !status || (WIFEXITED(*status) && WEXITSTATUS(*status) == 0);
}

}  // namespace

bool survives_in_child(const std::function<void()>& work, const std::vector<double>& seconds) {
  for (const double limit : seconds) {
    if (const std::optional<bool> result = survives_for(limit, work)) return *result;
  }
  return false;
}

void guard_hdf5(const std::string& file, const std::function<void()>& read) {
  if (survives_in_child(read)) return;
  throw data_error({file, "", "HDF5 that can be read",
                    "a damaged file: the HDF5 library crashes on it, or does not return"});
}

}  // namespace firm
