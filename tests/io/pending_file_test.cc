#include "io/files/pending_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

TEST(PendingFile, GetsItsNameAtCommit) {
  const TemporaryDirectory directory;
  PendingFile file(directory / "a");
  EXPECT_FALSE(std::filesystem::exists(directory / "a"));
  std::ofstream(file.temporary()) << "new";
  file.commit();
  EXPECT_EQ(file_content(directory / "a"), "new");
  EXPECT_EQ(directory.count(), 1u);
}

TEST(TextFile, ReadsNothingIfThereIsNone) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(read_text_file(directory / "a"));
  write_text_file(directory / "a", "");
  EXPECT_EQ(read_text_file(directory / "a"), "");
  const std::string text(10'000, 'x');
  write_text_file(directory / "a", text);
  EXPECT_EQ(read_text_file(directory / "a"), text);
  std::filesystem::create_directory(directory / "d");
  EXPECT_CONTAINS(error_of([&] { read_text_file(directory / "d"); }),
                  "expected a file that can be read, found Is a directory");
}

TEST(PendingFile, KeepsOldFileWithoutCommit) {
  const TemporaryDirectory directory;
  write_text_file(directory / "a", "old");
  {
    const PendingFile file(directory / "a");
    std::ofstream(file.temporary()) << "new";
    EXPECT_EQ(directory.count(), 2u);
  }
  EXPECT_EQ(file_content(directory / "a"), "old");
  EXPECT_EQ(directory.count(), 1u);
}

TEST(PendingFile, NamesAnUnwritablePath) {
  const TemporaryDirectory directory;
  const std::string text = error_of([&] { PendingFile(directory / "none/a"); });
  EXPECT_CONTAINS(text, "none/a: expected a file that can be written, found No such file");
}

TEST(PendingFile, DoesNotReplaceADirectory) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "a");
  EXPECT_THROW(write_text_file(directory / "a", "text"), Error);
  EXPECT_EQ(directory.count(), 1u);
}

// Somebody has put a link where the temporary file will be, or a program of the same number has
// left one.
TEST(PendingFile, ReplacesLinkOrFileOfItsTemporaryName) {
  const TemporaryDirectory directory;
  write_text_file(directory / "other", "of somebody else");
  const std::string temporary = PendingFile(directory / "a").temporary();
  EXPECT_EQ(directory.count(), 1u);
  std::filesystem::create_symlink(directory / "other", temporary);
  write_text_file(directory / "a", "new");
  EXPECT_EQ(file_content(directory / "other"), "of somebody else");
  EXPECT_EQ(file_content(directory / "a"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(directory / "a"));
  std::ofstream(temporary) << "a longer text that was left";
  write_text_file(directory / "a", "newer");
  EXPECT_EQ(file_content(directory / "a"), "newer");
  EXPECT_EQ(directory.count(), 2u);
}

TEST(PendingFile, NamesTemporaryThatCannotBeReplaced) {
  const TemporaryDirectory directory;
  const std::string temporary = PendingFile(directory / "a").temporary();
  std::filesystem::create_directory(temporary);
  EXPECT_CONTAINS(error_of([&] { PendingFile(directory / "a"); }),
                  temporary + ": expected a file that can be written, found File exists");
  EXPECT_TRUE(std::filesystem::is_directory(temporary));
}

TEST(PendingFile, LeftoversOfKilledProgramsAreRemoved) {
  const TemporaryDirectory directory;
  make_directory(directory / "below");
  const PendingFile mine(directory / "mine");
  const pid_t child = ::fork();
  if (child == 0) {
    const PendingFile killed(directory / "a");
    const PendingFile deeper(directory / "below/a");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  write_text_file(directory / "a.part", "of somebody else");
  write_text_file(directory / "a.b.part", "of somebody else");
  EXPECT_EQ(directory.count(), 5u);
  remove_leftovers(directory.path());
  EXPECT_EQ(directory.count(), 4u);
  EXPECT_TRUE(std::filesystem::exists(mine.temporary()));
  EXPECT_TRUE(std::filesystem::is_empty(directory / "below"));
}

TEST(MakeDirectory, CreatesParentsAndAcceptsExistingDirectories) {
  const TemporaryDirectory directory;
  make_directory(directory / "a/b");
  make_directory(directory / "a/b");
  EXPECT_TRUE(std::filesystem::is_directory(directory / "a/b"));
  write_text_file(directory / "file", "");
  EXPECT_THROW(make_directory(directory / "file"), Error);
  EXPECT_THROW(make_directory(directory / "file/below"), Error);
}

}  // namespace
}  // namespace firm
