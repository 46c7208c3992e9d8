#include "child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/timing.h"

namespace firm {
namespace {

constexpr std::chrono::milliseconds kPause(5);
constexpr int kStoppedEarly = 5;  // as in apps/firm

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, std::string output)
    : name_(command.front()), output_(std::move(output)) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int error = posix_spawn(&id_, name_.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error(fmt::format("{}: cannot be started", name_));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : name_(std::move(other.name_)),
      output_(std::move(other.output_)),
      id_(std::exchange(other.id_, 0)),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (id_ == 0) return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

void ChildProcess::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: {}\n{}", name_, what, content(output_)));
}

bool ChildProcess::ended() {
  if (id_ != 0 && waitpid(id_, &status_, WNOHANG) == id_) id_ = 0;
  return id_ == 0;
}

std::string ChildProcess::text_after(const std::string& begin, double seconds) {
  const Stopwatch watch;
  for (;;) {
    const bool was_over = ended();
    const std::string text = content(output_);
    const std::size_t at = text.find(begin);
    const std::size_t end = at == std::string::npos ? at : text.find('\n', at);
    if (end != std::string::npos) return text.substr(at + begin.size(), end - at - begin.size());
    if (was_over || watch.seconds() > seconds) fail(fmt::format("does not say '{}'", begin));
    std::this_thread::sleep_for(kPause);
  }
}

void ChildProcess::wait(double seconds) {
  const Stopwatch watch;
  while (!ended()) {
    if (watch.seconds() > seconds) fail(fmt::format("takes more than {} s", seconds));
    std::this_thread::sleep_for(kPause);
  }
  if (!WIFEXITED(status_) || (WEXITSTATUS(status_) != 0 && WEXITSTATUS(status_) != kStoppedEarly)) {
    fail("failed");
  }
}

}  // namespace firm
