// Peak memory of the program against the estimate that it prints.
#include <gtest/gtest.h>

#include "core/byte_size.h"
#include "core/child_process.h"
#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

class MemoryEstimate : public CommandLine {
 protected:
  // Runs the program, expects this exit code, and compares memory with the estimate.
  static void expect_useful(std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), FIRM_PROGRAM);
    ChildProcess child(arguments);
    EXPECT_EQ(child.wait(), code) << child.output();
    const std::uint64_t estimate = estimate_in(child.output());
    ASSERT_GT(estimate, 0u) << child.output();
    EXPECT_LT(child.peak_memory(), estimate) << child.output();
    EXPECT_LT(estimate, 4 * child.peak_memory()) << child.output();
  }

  // "memory: about 325 MiB needed, ..."
  static std::uint64_t estimate_in(const std::string& text) {
    const std::string before = "memory: about ";
    const std::size_t at = text.find(before);
    const std::size_t end = text.find(" needed", at);
    if (at == std::string::npos || end == std::string::npos) return 0;
    const std::size_t begin = at + before.size();
    return parse_byte_size(text.substr(begin, end - begin)).value_or(0);
  }
};

// The report takes more memory than chunks of this size.
TEST_F(MemoryEstimate, ExceedsMemoryOfChunkedRun) {
  ASSERT_EQ(run("simulate --out s --size 160 --angles 30 --slices 12").code, 0);
  expect_useful({"recon", directory_ / "s/study.toml", "--out", directory_ / "r", "--set",
                 "stop.rounds=1", "--set", "chunks=3"},
                5);
}

TEST_F(MemoryEstimate, ExceedsMemoryOfPrior) {
  ASSERT_EQ(run("simulate --out s --size 160 --angles 30 --slices 8 --noise 0.05").code, 0);
  const std::pair<std::string, std::string> cases[] = {{"auto", "true"}, {"1", "false"}};
  for (const auto& [strength, slices] : cases) {
    expect_useful(
        {"recon", directory_ / "s/study.toml", "--out", directory_ / "r", "--overwrite", "--prior",
         "tv", "--set", "prior.strength=" + strength, "--set", "prior.slices=" + slices, "--set",
         "prior.inner=2", "--set", "ds.local_steps=2", "--set", "stop.rounds=1"},
        5);
  }
}

// With so little noise firm-ds takes primal-dual steps, with arrays of their own.
TEST_F(MemoryEstimate, ExceedsMemoryOfPriorWithLittleNoise) {
  ASSERT_EQ(run("simulate --out s --size 160 --angles 30 --slices 8 --noise 0.001").code, 0);
  StudyFile file = read_study(directory_ / "s/study.toml");
  for (const bool common : {true, false}) {
    if (!common) *file.sites[0].rotation_axis += 0.5;  // other rays than XRT's: two terms
    write_study(directory_ / "s/study.toml", file);
    expect_useful({"recon", directory_ / "s/study.toml", "--out", directory_ / "r", "--overwrite",
                   "--prior", "tv", "--set", "prior.strength=1", "--set", "prior.inner=2", "--set",
                   "ds.local_steps=2", "--set", "stop.rounds=1"},
                  5);
    EXPECT_EQ(summary("r").at("prior").at("solver"), "primal-dual");
  }
}

TEST_F(MemoryEstimate, ExceedsMemoryOfCalibration) {
  ASSERT_EQ(run("simulate --preset elements --out s --size 160 --angles 40 --slices 8").code, 0);
  StudyFile file = read_study(directory_ / "s/study.toml");
  *file.sites[0].rotation_axis += 0.5;  // other rays than XRT's: needs an image of this site
  write_study(directory_ / "s/study.toml", file);
  expect_useful({"calibrate", directory_ / "s/study.toml"}, 0);
}

}  // namespace
}  // namespace firm
