// PendingFile: a file that appears under its name only when it is complete.
//
// Write to `temporary()`, in the same directory; `commit` flushes it to the disk and renames it.
// Until then an existing file of that name stays unchanged. Without `commit` the temporary file is
// removed.
#pragma once

#include <optional>
#include <string>

namespace firm {

class PendingFile {
 public:
  // Creates the empty temporary file; throws firm::Error when the directory does not allow it.
  explicit PendingFile(std::string path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }

  void commit();

 private:
  std::string path_;
  std::string temporary_;
  bool committed_ = false;
};

// Removes temporary files left by killed programs from a directory and the directories below it.
// Spares those of programs that are running on this machine.
void remove_leftovers(const std::string& directory);

// Reads a whole text file; none when there is no such file. Throws firm::Error when it exists but
// cannot be read.
std::optional<std::string> read_text_file(const std::string& path);

// Writes a whole text file through a PendingFile.
void write_text_file(const std::string& path, const std::string& text);

// Creates a directory and its missing parents; throws firm::Error.
void make_directory(const std::string& path);

}  // namespace firm
