// RawFile: random access to the bytes of a file, and the kind of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace firm {

class RawFile {
 public:
  // Throws firm::Error when the file cannot be opened, or is none, such as a
  // directory or a pipe.
  explicit RawFile(std::string path);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  const std::string& path() const { return path_; }
  std::uintmax_t size() const { return size_; }

  // Fills `out`; throws firm::Error when the file ends first.
  void read(std::uintmax_t offset, std::span<std::byte> out) const;
  // At most `count` bytes, fewer at the end of the file.
  std::string text(std::uintmax_t offset, std::size_t count) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uintmax_t size_ = 0;
};

enum class FileKind { kHdf5, kTiff, kNpy, kOther };

// Tells the kind by the first bytes, whatever the name.
FileKind kind_of_file(const RawFile& file);
FileKind kind_of_file(const std::string& path);

}  // namespace firm
