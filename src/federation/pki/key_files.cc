#include "federation/pki/key_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/file_descriptor.h"
#include "core/shell_quote.h"
#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm::pki {
namespace {

constexpr off_t kLargestFile = 1 << 20;  // bytes; a certificate has about a thousand

Error write_failed(const std::string& path) {
  return data_error({path, "", "a file that can be written", std::strerror(errno)});
}

// Writes the text into the temporary of `pending`. PendingFile creates its temporary with the mode
// that the umask gives. We replace it by a new file created with the right mode, so that a process
// that opened the first one never sees the text.
void write_with_mode(const PendingFile& pending, const NewFile& file) {
  if (::unlink(pending.temporary().c_str()) != 0) throw write_failed(file.path);
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const FileDescriptor out(::open(pending.temporary().c_str(), flags, file.mode));
  if (!out.ok() || !out.write_all(file.text.text()) || ::fsync(out.get()) != 0) {
    throw write_failed(file.path);
  }
}

Error unreadable(const Wanted& file, const std::string& found) {
  const std::string hint = file.hint.empty() ? "" : "; " + file.hint;
  return data_error({file.path, "", file.expected, found + hint});
}

// Refuses a file with one of the mode bits `forbidden`.
std::string read_checked(const Wanted& file, mode_t forbidden) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  const FileDescriptor in(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!in.ok() || ::fstat(in.get(), &status) != 0) throw unreadable(file, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw unreadable(file, "a directory");
  if (!S_ISREG(status.st_mode)) throw unreadable(file, "something that is no file");
  if (status.st_size > kLargestFile) throw unreadable(file, "a file of more than a megabyte");
  if ((status.st_mode & forbidden) != 0) {
    throw data_error({file.path, "mode", "a private key that its owner alone can read (0600)",
                      fmt::format("{:04o}; run: chmod 600 {}", status.st_mode & 07777u,
                                  shell_quote(file.path))});
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(in.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw unreadable(file, std::strerror(errno));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

}  // namespace

void write_files(const std::vector<NewFile>& files) {
  std::vector<std::unique_ptr<PendingFile>> pending;
  for (const NewFile& file : files) {
    pending.push_back(std::make_unique<PendingFile>(file.path));
    write_with_mode(*pending.back(), file);
  }
  for (const auto& file : pending) file->commit();
}

std::string read_public(const Wanted& file) { return read_checked(file, 0); }

SecretText read_secret(const Wanted& file) { return read_checked(file, S_IRWXG | S_IRWXO); }

void make_private_directory(const std::string& path) {
  std::filesystem::path target(path);
  if (!target.has_filename()) target = target.parent_path();  // "pki/"
  if (target.has_parent_path()) make_directory(target.parent_path().string());
  if (::mkdir(target.c_str(), 0700) == 0) return;
  make_directory(path);  // accepts an existing directory, throws otherwise
}

std::string path_in(const std::string& directory, const std::string& name) {
  return (std::filesystem::path(directory) / name).string();
}

bool file_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type() !=
         std::filesystem::file_type::not_found;
}

DirectoryLock::DirectoryLock(const std::string& path)
    : directory_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!directory_.ok()) {
    throw data_error({path, "", "a directory that can be read", std::strerror(errno)});
  }
  while (::flock(directory_.get(), LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    throw data_error(
        {path, "", "a directory that can be locked",
         fmt::format("{}; choose one on a file system that has locks", std::strerror(errno))});
  }
}

}  // namespace firm::pki
