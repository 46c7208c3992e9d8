#include "io/files/pending_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/file_descriptor.h"
#include "firm/error.h"

namespace firm {
namespace {

Error write_failed(const std::string& path, int code) {
  return data_error({path, "", "a file that can be written", std::strerror(code)});
}

FileDescriptor open_file(const std::string& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags, 0666));
}

// Never opens a file that is already there: in a directory of several users it may be a link to
// another one.
FileDescriptor create_file(const std::string& path) {
  return open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC);
}

}  // namespace

PendingFile::PendingFile(std::string path)
    : path_(std::move(path)), temporary_(fmt::format("{}.{}.part", path_, ::getpid())) {
  FileDescriptor file = create_file(temporary_);
  if (!file.ok() && errno == EEXIST) {
    // Left by a killed program that had the number of this process.
    ::unlink(temporary_.c_str());
    file = create_file(temporary_);
    if (!file.ok() && errno == EEXIST) throw write_failed(temporary_, EEXIST);
  }
  if (!file.ok()) throw write_failed(path_, errno);
}

PendingFile::~PendingFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void PendingFile::commit() {
  FIRM_CHECK(!committed_);
  const FileDescriptor file = open_file(temporary_, O_WRONLY | O_CLOEXEC);
  if (!file.ok() || ::fsync(file.get()) != 0) throw write_failed(path_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw write_failed(path_, errno);
  committed_ = true;
  // Makes the new name survive a power cut; some file systems cannot, and need not.
  const std::string parent = std::filesystem::path(path_).parent_path().string();
  const FileDescriptor directory =
      open_file(parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory.ok()) ::fsync(directory.get());
}

void remove_leftovers(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
    // <name>.<process>.part
    const fs::path process = entry.path().stem().extension();
    if (entry.path().extension() != ".part" || process.string().size() < 2) continue;
    pid_t id = 0;
    const std::string digits = process.string().substr(1);
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, id).ptr != end || id <= 0) continue;
    if (::kill(id, 0) != 0 && errno == ESRCH) leftovers.push_back(entry.path());
  }
  for (const fs::path& path : leftovers) fs::remove(path, ignored);
}

std::optional<std::string> read_text_file(const std::string& path) {
  const FileDescriptor file = open_file(path, O_RDONLY | O_CLOEXEC);
  if (!file.ok() && errno == ENOENT) return {};
  std::string text;
  std::array<char, 4096> part{};
  ssize_t count = file.ok() ? 1 : -1;
  while (count > 0) {
    count = ::read(file.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR)
      count = 1;
    else if (count > 0)
      text.append(part.data(), static_cast<std::size_t>(count));
  }
  if (count == 0) return text;
  throw data_error({path, "", "a file that can be read", std::strerror(errno)});
}

void write_text_file(const std::string& path, const std::string& text) {
  PendingFile pending(path);
  {
    const FileDescriptor file = open_file(pending.temporary(), O_WRONLY | O_CLOEXEC);
    if (!file.ok() || !file.write_all(text)) throw write_failed(path, errno);
  }
  pending.commit();
}

void make_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  // Library versions differ in whether they report a file of that name as a failure.
  if (!failure && std::filesystem::is_directory(path)) return;
  throw data_error({path, "", "a directory that exists or can be created",
                    failure ? failure.message() : "a file of that name"});
}

}  // namespace firm
