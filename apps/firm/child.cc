#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "firm/error.h"

namespace firm {

Child::Child(const std::vector<std::string>& arguments, std::string log) : log_(std::move(log)) {
  std::vector<std::string> texts = {"firm"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int wrong = posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong != 0) {
    pid_ = 0;
    throw data_error({log_, "", "to start a process that writes here", std::strerror(wrong)});
  }
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), code_(other.code_), log_(std::move(other.log_)) {}

Child::~Child() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::optional<int> Child::exit_code() {
  if (pid_ == 0) return code_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return {};
  pid_ = 0;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

std::string Child::output() const {
  std::ifstream in(log_);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace firm
