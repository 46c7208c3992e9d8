// A program that this process starts, signals and waits for.
//
//   ChildProcess child({"/usr/bin/firm", "recon", "study.toml"});
//   if (child.wait() != 0) fmt::print("{}", child.output());
//
// Use one ChildProcess from one thread at a time. Functions throw firm::Error when the operating
// system refuses.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace firm {

struct ChildOptions {
  // File that receives standard output and standard error; default: memory of this process.
  std::string log = {};
  // Variables as "NAME=value", on top of the environment of this process.
  std::vector<std::string> environment = {};
  // Kill the child when the thread that started it ends, even by a crash.
  bool dies_with_parent = true;
};

class ChildProcess {
 public:
  // Starts the program `command[0]`, a path, with an empty standard input.
  explicit ChildProcess(const std::vector<std::string>& command, ChildOptions options = {});
  // Kills the child if it is still running.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t id() const { return id_; }
  const std::string& program() const { return program_; }
  // Path of the log; empty when the output is kept in memory.
  const std::string& log() const { return log_; }

  bool running() { return !exit_code(); }
  // Exit code of a child that has ended; 128 + signal when a signal ended it.
  std::optional<int> exit_code();
  // Waits until the child ends and returns its exit code.
  int wait();
  // Returns nothing when the child is still running after `seconds`.
  std::optional<int> wait(double seconds);

  // Most memory that the child held at once, in bytes; 0 while it is running. Counts this process
  // too, whose pages the child shares until its program starts.
  std::uint64_t peak_memory() const { return peak_memory_; }

  // Does nothing when the child has ended.
  void send(int signal);
  // Sends SIGKILL and waits.
  void kill();

  // Both output streams so far; complete once the child has ended.
  std::string output();
  // Waits up to `seconds` until the output contains `text`; false if it never does.
  bool prints(const std::string& text, double seconds);
  // Rest of the first complete line of the output that contains `mark`, after the mark. Waits up to
  // `seconds` for such a line, or until the child ends.
  std::optional<std::string> text_after(const std::string& mark, double seconds = 0);

  // From now on no file that the child writes can grow beyond `bytes`: writes fail as on a full
  // disk. Children start with SIGXFSZ ignored, so the limit does not kill them.
  void limit_file_size(std::uint64_t bytes);

 private:
  class Capture;

  // Calls `done` with the output until it returns true, the child has ended, or time is over.
  template <typename Done>
  bool wait_for_output(double seconds, const Done& done);
  // Collects the child's status; false when `flags` is WNOHANG and it is still running.
  bool reap(int flags);

  std::string program_;
  std::string log_;
  pid_t id_ = 0;
  bool ended_ = false;
  int code_ = 0;
  std::uint64_t peak_memory_ = 0;
  std::unique_ptr<Capture> capture_;  // null with a log
};

// Path of the running program, for a process that starts itself again.
std::string this_program();

}  // namespace firm
