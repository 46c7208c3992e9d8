// FileDescriptor: owns a POSIX file descriptor and closes it.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>
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
  // Returns false, with errno set, if not everything could be written.
  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(value_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

 private:
  int value_;
};

}  // namespace firm
