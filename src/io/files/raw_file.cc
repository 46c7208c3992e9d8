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
#include "io/hdf5/hdf5.h"

namespace firm {
namespace {

constexpr const char* kReadable = "a file that can be read";

using namespace std::string_view_literals;
constexpr std::string_view kNpyMark = "\x93NUMPY"sv;
// Little and big endian, and the same with offsets of 64 bits.
constexpr std::string_view kTiffMarks[] = {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv};

}  // namespace

RawFile::RawFile(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0) {
    const int code = errno;
    if (file_ >= 0) ::close(file_);
    throw data_error({path_, "", kReadable, std::strerror(code)});
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(file_);
    throw data_error({path_, "", kReadable, "a directory"});
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

FileKind kind_of_file(const std::string& path) {
  const std::string first = RawFile(path).text(0, 8);
  if (first.starts_with(kNpyMark)) return FileKind::kNpy;
  for (const std::string_view mark : kTiffMarks) {
    if (first.starts_with(mark)) return FileKind::kTiff;
  }
  return h5::is_hdf5(path) ? FileKind::kHdf5 : FileKind::kOther;
}

}  // namespace firm
