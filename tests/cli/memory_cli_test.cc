// Memory that a program takes, against what it has said that it would.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/command_line.h"
#include "core/byte_size.h"
#include "io/study/study_file.h"

namespace firm {
namespace {

class Memory : public CommandLine {
 protected:
  struct Use {
    int code = 0;
    std::uint64_t peak = 0;  // bytes
    std::uint64_t told = 0;
    std::string err;
  };

  Use use(const std::vector<std::string>& arguments) {
    std::vector<char*> words = {const_cast<char*>(FIRM_PROGRAM)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const std::string err = directory_ / ".err";
    const pid_t child = ::fork();
    if (child == 0) {
      const int out = ::open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      ::dup2(out, STDERR_FILENO);
      ::dup2(out, STDOUT_FILENO);
      if (::chdir(directory_.path().c_str()) == 0) ::execv(words[0], words.data());
      ::_exit(127);
    }
    int status = 0;
    rusage used{};
    EXPECT_EQ(::wait4(child, &status, 0, &used), child);
    Use result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.peak = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    result.err = file_content(err);
    result.told = told(result.err);
    return result;
  }

  // "memory: about 325 MiB needed, ..."
  static std::uint64_t told(const std::string& text) {
    const std::string before = "memory: about ";
    const std::size_t at = text.find(before);
    const std::size_t end = text.find(" needed", at);
    if (at == std::string::npos || end == std::string::npos) return 0;
    const std::size_t begin = at + before.size();
    return parse_byte_size(text.substr(begin, end - begin)).value_or(0);
  }
};

// With chunks as small as these, it is the report that takes most.
TEST_F(Memory, OfARunInChunksIsBelowTheEstimate) {
  ASSERT_EQ(run("simulate --out s --size 160 --angles 30 --slices 12").code, 0);
  const Use used =
      use({"recon", "s/study.toml", "--out", "r", "--set", "stop.rounds=1", "--set", "chunks=3"});
  EXPECT_EQ(used.code, 5) << used.err;
  ASSERT_GT(used.told, 0u) << used.err;
  EXPECT_LT(used.peak, used.told) << used.err;
  EXPECT_LT(used.told, 4 * used.peak) << used.err;  // it is worth something
}

TEST_F(Memory, OfACalibrationIsBelowTheEstimate) {
  ASSERT_EQ(run("simulate --preset elements --out s --size 160 --angles 40 --slices 8").code, 0);
  StudyFile file = read_study(directory_ / "s/study.toml");
  *file.sites[0].rotation_axis += 0.5;  // so that an image is made of it
  write_study(directory_ / "s/study.toml", file);
  const Use used = use({"calibrate", "s/study.toml"});
  EXPECT_EQ(used.code, 0) << used.err;
  ASSERT_GT(used.told, 0u) << used.err;
  EXPECT_LT(used.peak, used.told) << used.err;
  EXPECT_LT(used.told, 4 * used.peak) << used.err;
}

}  // namespace
}  // namespace firm
