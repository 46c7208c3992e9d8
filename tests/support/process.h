// A program that a test starts, kills and waits for.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace firm {

// Whether it comes true within that time.
inline bool wait_until(double seconds, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Ends with this object, and with the thread that made it.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    id_ = ::fork();
    if (id_ == 0) become(words, ends[1]);
    ::close(ends[1]);
    if (id_ < 0) throw std::runtime_error("no process");
    reader_ = std::thread([this, end = ends[0]] { read_all(end); });
  }
  ~Process() {
    end_by(SIGKILL);
    output();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  // What it has printed so far, on either stream; all of it once it has ended.
  std::string output() {
    if (!running() && reader_.joinable()) reader_.join();
    const std::lock_guard lock(mutex_);
    return output_;
  }
  bool running() {
    if (!status_) take_status(WNOHANG);
    return !status_;
  }
  void send(int signal) {
    if (running()) ::kill(id_, signal);
  }
  void end_by(int signal) {
    send(signal);
    if (!status_) take_status(0);
  }
  // Its exit code; that of a signal is negative. None when it does not end in that time.
  std::optional<int> wait(double seconds) {
    if (!wait_until(seconds, [&] { return !running(); })) return {};
    return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -WTERMSIG(*status_);
  }
  bool prints(const std::string& text, double seconds) {
    return wait_until(seconds, [&] { return output().find(text) != std::string::npos; });
  }
  // From now on no file of it can grow beyond that: what a full disk is like.
  void limit_files(rlim_t bytes) {
    const rlimit limit{bytes, RLIM_INFINITY};
    if (::prlimit(id_, RLIMIT_FSIZE, &limit, nullptr) != 0) throw std::runtime_error("no limit");
  }

 private:
  // In the new process: nothing that could wait for a thread of the old one.
  [[noreturn]] static void become(const std::vector<char*>& words, int out) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGXFSZ, SIG_IGN);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  void read_all(int end) {
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::read(end, piece.data(), piece.size())) > 0;) {
      const std::lock_guard lock(mutex_);
      output_.append(piece.data(), static_cast<std::size_t>(n));
    }
    ::close(end);
  }
  void take_status(int flags) {
    int status = 0;
    if (::waitpid(id_, &status, flags) == id_) status_ = status;
  }

  pid_t id_ = -1;
  std::optional<int> status_;
  std::mutex mutex_;
  std::string output_;
  std::thread reader_;
};

}  // namespace firm
