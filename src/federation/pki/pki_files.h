// Files of a certificate directory: whole, with the right modes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace firm::pki {

inline constexpr mode_t kSecret = 0600;
inline constexpr mode_t kPublic = 0644;  // less what the umask takes away

struct NewFile {
  std::string path;
  std::string text;
  mode_t mode = kPublic;
};

// Writes all files to the disk under temporary names first, then gives them their names, in this
// order. What holds a secret has its mode from the moment it is made.
void write_files(const std::vector<NewFile>& files);

// The text of a file. When it cannot be read the error says what was expected and adds `hint`, the
// way to get such a file.
struct Wanted {
  std::string path;
  std::string expected;
  std::string hint;
};
std::string read_public(const Wanted& file);
// Refuses a file that its group or others can read or write.
std::string read_secret(const Wanted& file);

// Mode 0700 when it is made; a directory that exists is left as it is.
void make_private_directory(const std::string& path);

std::string path_in(const std::string& directory, const std::string& name);
bool file_exists(const std::string& path);

// One process at a time changes a directory; waits for the other. A file system without locks is
// used without.
class DirectoryLock {
 public:
  // Throws firm::Error where there is no directory.
  explicit DirectoryLock(const std::string& path);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace firm::pki
