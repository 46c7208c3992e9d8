// A file in memory that can be opened by its path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "input.h"

namespace firm {

class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("fuzz", 0)) {}
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(const std::string& text) const {
    require(::ftruncate(file_, 0) == 0, "a file can be emptied");
    require(::pwrite(file_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
            "a file can be written");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace firm
