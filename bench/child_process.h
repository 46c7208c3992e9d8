// A process that a benchmark starts and waits for. Errors are thrown as std::runtime_error.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace firm {

class ChildProcess {
 public:
  // What it prints goes into the file `output`.
  ChildProcess(const std::vector<std::string>& command, std::string output);
  // Ends it if it still runs.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t id() const { return id_; }
  // What follows `begin` in the line that has it, once there is one.
  std::string text_after(const std::string& begin, double seconds);
  // Until it has ended, with one of two exit codes that are not errors: done, or stopped before
  // converging.
  void wait(double seconds);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  bool ended();

  std::string name_;
  std::string output_;
  pid_t id_ = 0;  // 0: it has ended
  int status_ = 0;
};

}  // namespace firm
