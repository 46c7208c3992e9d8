// Reads and writes the files of a certificate directory, with the right modes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/file_descriptor.h"
#include "federation/pki/secret_text.h"

namespace firm::pki {

inline constexpr mode_t kSecret = 0600;
inline constexpr mode_t kPublic = 0644;  // less what the umask takes away

struct NewFile {
  std::string path;
  SecretText text;
  mode_t mode = kPublic;
};

// Writes all files to disk under temporary names, then renames them in the order given. A secret
// file has its mode from the moment it is created.
void write_files(const std::vector<NewFile>& files);

// A file to read, and the words for the error when it cannot be read.
struct Wanted {
  std::string path;
  std::string expected;
  std::string hint;  // how to get such a file; may be empty
};

// Return the text of a file; throw firm::Error (kData). read_secret also refuses a file that its
// group or others can read or write.
std::string read_public(const Wanted& file);
SecretText read_secret(const Wanted& file);

// Creates a directory with mode 0700; leaves an existing one unchanged.
void make_private_directory(const std::string& path);

std::string path_in(const std::string& directory, const std::string& name);
bool file_exists(const std::string& path);

// Holds an exclusive lock on a directory, so that one process at a time changes it; waits until the
// lock is free.
class DirectoryLock {
 public:
  // Throws firm::Error when the directory does not exist, or its file system has no locks.
  explicit DirectoryLock(const std::string& path);

 private:
  FileDescriptor directory_;
};

}  // namespace firm::pki
