#include "io/files/raw_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "firm/error.h"

namespace firm {
namespace {

constexpr const char* kReadable = "a file that can be read";

using namespace std::string_view_literals;
constexpr std::string_view kNpyMark = "\x93NUMPY"sv;
constexpr std::string_view kHdf5Mark = "\x89HDF\r\n\x1a\n"sv;
// Little and big endian, with offsets of 32 bits and of 64.
constexpr std::string_view kTiffMarks[] = {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv};

// The signature is at the beginning, or behind a user block of 512, 1024, 2048, ... bytes.
bool is_hdf5(const RawFile& file) {
  for (std::uintmax_t at = 0; at < file.size(); at = at == 0 ? 512 : 2 * at) {
    if (file.text(at, kHdf5Mark.size()) == kHdf5Mark) return true;
  }
  return false;
}

}  // namespace

RawFile::RawFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0) {
    const int code = errno;
    if (file_ >= 0) ::close(file_);
    throw data_error({path_, "", kReadable, std::strerror(code)});
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(file_);
    throw data_error(
        {path_, "", kReadable, S_ISDIR(status.st_mode) ? "a directory" : "a device or a pipe"});
  }
  size_ = static_cast<std::uintmax_t>(status.st_size);
}

RawFile::~RawFile() { ::close(file_); }

void RawFile::read(std::uintmax_t offset, std::span<std::byte> out) const {
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t count =
        ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw data_error({path_, "", kReadable, std::strerror(errno)});
    if (count == 0) {
      throw data_error({path_, "", fmt::format("{} bytes at least", offset + out.size()),
                        fmt::format("{}", offset + done)});
    }
    done += static_cast<std::size_t>(count);
  }
}

std::string RawFile::text(std::uintmax_t offset, std::size_t count) const {
  if (offset >= size_) return "";
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(count, size_ - offset)), '\0');
  read(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

FileKind kind_of_file(const RawFile& file) {
  const std::string first = file.text(0, 8);
  if (first.starts_with(kNpyMark)) return FileKind::kNpy;
  for (const std::string_view mark : kTiffMarks) {
    if (first.starts_with(mark)) return FileKind::kTiff;
  }
  return is_hdf5(file) ? FileKind::kHdf5 : FileKind::kOther;
}

FileKind kind_of_file(const std::string& path) { return kind_of_file(RawFile(path)); }

}  // namespace firm
