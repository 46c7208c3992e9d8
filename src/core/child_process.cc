#include "core/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "core/timing.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr std::chrono::milliseconds kPause(1);

Error refused(const std::string& where, const std::string& expected, int error) {
  return data_error({where, "", expected, std::strerror(error)});
}

// Both ends close when the program that inherits them starts another one.
class Pipe {
 public:
  explicit Pipe(const std::string& program) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw refused(program, "a pipe", errno);
  }
  ~Pipe() {
    for (int& end : ends_) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int input() const { return ends_[1]; }
  int output() const { return ends_[0]; }
  int release_output() { return std::exchange(ends_[0], -1); }
  void close_input() { close(ends_[1]); }
  // Reads up to `size` bytes; returns fewer at the end.
  std::size_t read(void* to, std::size_t size) const {
    ssize_t n = 0;
    do {
      n = ::read(ends_[0], to, size);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? 0 : static_cast<std::size_t>(n);
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

// Pointers as exec wants them; `texts` must outlive the result.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  const auto changed = [&](const std::string& entry) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    return std::ranges::any_of(changes, [&](const auto& c) { return c.starts_with(name); });
  };
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!changed(*entry)) all.emplace_back(*entry);
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

struct Launch {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  int output;
  int failure;  // receives errno when the program cannot be started
  pid_t parent;
  bool dies_with_parent;
};

// Runs in the new process, which has this thread only: calls nothing that could wait for a lock.
[[noreturn]] void become(const Launch& launch) {
  if (launch.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launch.parent) ::_exit(127);  // the parent ended before prctl
  }
  ::signal(SIGXFSZ, SIG_IGN);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(launch.output, STDOUT_FILENO) >= 0 &&
      ::dup2(launch.output, STDERR_FILENO) >= 0) {
    ::execve(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  }
  const int error = errno;
  const ssize_t ignored = ::write(launch.failure, &error, sizeof(error));
  ::_exit(ignored > 0 ? 127 : 126);
}

pid_t start(const std::vector<std::string>& command, const ChildOptions& options, int output) {
  const std::vector<std::string> variables = environment_with(options.environment);
  Pipe failure(command[0]);
  const Launch launch{pointers_to(command), pointers_to(variables),  output, failure.input(),
                      ::getpid(),           options.dies_with_parent};
  const pid_t id = ::fork();
  if (id == 0) become(launch);
  if (id < 0) throw refused(command[0], "a new process", errno);
  failure.close_input();
  int error = 0;
  if (failure.read(&error, sizeof(error)) == sizeof(error)) {
    ::waitpid(id, nullptr, 0);
    throw refused(command[0], "a program that can be started", error);
  }
  return id;
}

}  // namespace

// Collects what arrives through a pipe, on a thread of its own, so that the writer never waits.
class ChildProcess::Capture {
 public:
  Capture(int end, const std::string& program) : end_(end), stop_(program) {
    ::fcntl(end_, F_SETFL, O_NONBLOCK);
    reader_ = std::thread([this] { read_all(); });
  }
  ~Capture() {
    finish();
    ::close(end_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Returns once all that is in the pipe has been read. Does not wait for the end of the pipe,
  // which processes that the child has started may hold open.
  void finish() {
    stop_.close_input();
    if (reader_.joinable()) reader_.join();
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  void read_all() {
    std::array<char, 4096> piece{};
    for (;;) {
      std::array<pollfd, 2> ends = {{{end_, POLLIN, 0}, {stop_.output(), 0, 0}}};
      ::poll(ends.data(), ends.size(), -1);
      const ssize_t n = ::read(end_, piece.data(), piece.size());
      if (n > 0) {
        const std::lock_guard lock(mutex_);
        text_.append(piece.data(), static_cast<std::size_t>(n));
        continue;
      }
      const bool stopped = ends[1].revents != 0;
      const bool retry = n < 0 && (errno == EINTR || (errno == EAGAIN && !stopped));
      if (!retry) return;
    }
  }

  int end_;
  Pipe stop_;  // its input closes to end the reader
  std::mutex mutex_;
  std::string text_;  // guarded by mutex_
  std::thread reader_;
};

ChildProcess::ChildProcess(const std::vector<std::string>& command, ChildOptions options)
    : log_(std::move(options.log)) {
  FIRM_CHECK(!command.empty());
  program_ = command[0];
  if (log_.empty()) {
    Pipe pipe(program_);
    id_ = start(command, options, pipe.input());
    pipe.close_input();
    capture_ = std::make_unique<Capture>(pipe.release_output(), program_);
    return;
  }
  const int file = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) throw refused(log_, "a file that can be written", errno);
  try {
    id_ = start(command, options, file);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : program_(std::move(other.program_)),
      log_(std::move(other.log_)),
      id_(other.id_),
      ended_(std::exchange(other.ended_, true)),
      code_(other.code_),
      peak_memory_(other.peak_memory_),
      capture_(std::move(other.capture_)) {}

ChildProcess::~ChildProcess() { kill(); }

bool ChildProcess::reap(int flags) {
  int status = 0;
  rusage usage{};
  pid_t id = 0;
  do {
    id = ::wait4(id_, &status, flags, &usage);
  } while (id < 0 && errno == EINTR);
  if (id != id_) return false;
  ended_ = true;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  peak_memory_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return true;
}

std::optional<int> ChildProcess::exit_code() {
  if (ended_ || reap(WNOHANG)) return code_;
  return {};
}

int ChildProcess::wait() {
  if (!ended_) reap(0);
  return code_;
}

std::optional<int> ChildProcess::wait(double seconds) {
  const Stopwatch watch;
  while (running() && watch.seconds() < seconds) std::this_thread::sleep_for(kPause);
  return exit_code();
}

void ChildProcess::send(int signal) {
  if (running()) ::kill(id_, signal);
}

void ChildProcess::kill() {
  send(SIGKILL);
  wait();
}

std::string ChildProcess::output() {
  if (capture_) {
    if (!running()) capture_->finish();
    return capture_->text();
  }
  std::ifstream file(log_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <typename Done>
bool ChildProcess::wait_for_output(double seconds, const Done& done) {
  const Stopwatch watch;
  for (;;) {
    const bool complete = !running();
    if (done(output())) return true;
    if (complete || watch.seconds() >= seconds) return false;
    std::this_thread::sleep_for(kPause);
  }
}

bool ChildProcess::prints(const std::string& text, double seconds) {
  return wait_for_output(
      seconds, [&](const std::string& all) { return all.find(text) != std::string::npos; });
}

std::optional<std::string> ChildProcess::text_after(const std::string& mark, double seconds) {
  std::string rest;
  const bool found = wait_for_output(seconds, [&](const std::string& all) {
    const std::size_t at = all.find(mark);
    if (at == std::string::npos) return false;
    const std::size_t begin = at + mark.size();
    const std::size_t end = all.find('\n', begin);
    if (end == std::string::npos) return false;
    rest = all.substr(begin, end - begin);
    return true;
  });
  return found ? std::optional(rest) : std::nullopt;
}

void ChildProcess::limit_file_size(std::uint64_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  if (::prlimit(id_, RLIMIT_FSIZE, &limit, nullptr) != 0) {
    throw refused(program_, "a limit on its files", errno);
  }
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace firm
