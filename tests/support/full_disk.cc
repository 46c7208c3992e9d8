#include "support/full_disk.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace firm {
namespace {

// Runs in the child process. `out` receives the error and everything that libraries print.
[[noreturn]] void run_limited(rlim_t bytes, const std::function<void()>& action, int out) {
  const rlimit limit{bytes, bytes};
  std::signal(SIGXFSZ, SIG_IGN);
  bool ready = ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && ::dup2(out, STDERR_FILENO) >= 0;
  try {
    if (ready) action();
  } catch (const std::exception& e) {
    const std::string text = e.what();
    ready = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  ::_exit(ready ? 0 : 1);
}

}  // namespace

std::string error_on_full_disk(std::uint64_t bytes, const std::function<void()>& action) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) run_limited(bytes, action, ends[1]);
  ::close(ends[1]);
  std::string text;
  std::array<char, 512> piece{};
  for (ssize_t n = 0; (n = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

}  // namespace firm
