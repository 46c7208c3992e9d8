// A process of this program, with its output in a file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace firm {

class Child {
 public:
  // Starts this program with other arguments; both outputs go to `log`. Throws firm::Error.
  Child(const std::vector<std::string>& arguments, std::string log);
  // One that is still running is killed.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  // The exit code, once it has ended; 128 + signal when a signal has ended it.
  std::optional<int> exit_code();
  // What it has said so far.
  std::string output() const;
  const std::string& log() const { return log_; }

 private:
  pid_t pid_ = 0;  // 0: has ended
  int code_ = 0;
  std::string log_;
};

}  // namespace firm
