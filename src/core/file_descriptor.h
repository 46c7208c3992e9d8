// FileDescriptor: owns a POSIX file descriptor and closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace firm {

class FileDescriptor {
 public:
  // Takes over what ::open and the like return; a negative number means none.
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }

  bool ok() const { return value_ >= 0; }
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace firm
