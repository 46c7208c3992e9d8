// A directory for the files of one test, and small helpers for files and errors.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

namespace firm {

// Removes the directory and everything in it when it goes out of scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  // Number of entries, not counting those of subdirectories.
  std::size_t count() const;

 private:
  std::filesystem::path path_;
};

// Empty when the file does not exist.
std::string file_content(const std::string& path);

// `text` with the first `from` replaced by `to`; the test fails when there is none.
std::string replaced(std::string text, const std::string& from, const std::string& to);

// Message of the exception that `action` throws; the test fails when it throws none.
std::string error_of(const std::function<void()>& action);

}  // namespace firm

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text) << "\nmissing: " << (part)
