// RawFile: bytes of a file, wherever they are in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace firm {

class RawFile {
 public:
  // Throws firm::Error when it cannot be opened, or is a directory.
  explicit RawFile(std::string path);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  const std::string& path() const { return path_; }
  std::uintmax_t size() const { return size_; }

  // Fills `out`; throws when the file ends before.
  void read(std::uintmax_t offset, std::span<std::byte> out) const;
  // As many bytes as there are, at most `count`.
  std::string text(std::uintmax_t offset, std::size_t count) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uintmax_t size_ = 0;
};

// What a file is by its first bytes, whatever its name.
enum class FileKind { kHdf5, kTiff, kNpy, kOther };

FileKind kind_of_file(const std::string& path);

}  // namespace firm
