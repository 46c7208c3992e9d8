// PendingFile: a file that appears under its name only when it is complete.
//
// What is written goes to `temporary()`, in the same directory; `commit` flushes it to the disk and
// renames it. A file of that name that was there before stays as it was until then. Without
// `commit` the temporary file is removed again.
#pragma once

#include <optional>
#include <string>

namespace firm {

class PendingFile {
 public:
  // Creates the temporary file, empty; throws firm::Error when the directory does not allow it.
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

// Removes what programs that were killed have left of pending files in a directory, and in those
// below. Files of programs that run on this machine are left alone.
void remove_leftovers(const std::string& directory);

// The whole of a text file; nothing when there is none of that name. Throws firm::Error when it is
// there, and cannot be read.
std::optional<std::string> read_text_file(const std::string& path);

// Writes a whole text file, in the way described above.
void write_text_file(const std::string& path, const std::string& text);

// Creates the directory and its parents where they are missing; throws firm::Error.
void make_directory(const std::string& path);

}  // namespace firm
