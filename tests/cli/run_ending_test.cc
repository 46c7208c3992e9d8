// A run that is killed while it ends: whatever the moment, --resume leads to the same images.
#include <filesystem>

#include "support/command_line.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

class RunEnding : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out s --size 16 --angles 5 --slices 2 --noise 0.01").code, 0);
  }

  // To convergence in several rounds.
  static constexpr const char* kRules =
      " --set stop.discrepancy=0 --set stop.kkt=1e-3 --set ds.local_steps=5 ";

  bool exists(const std::string& file) { return fs::exists(directory_ / file); }
  std::string images(const std::string& run) {
    return file_content(directory_ / run + "/images.h5");
  }

  // Resumes a run that stopped early, and kills it before its n-th change of a file. Returns
  // whether it came to its end before that.
  bool ends_before_kill(int n, const std::string& options) {
    fs::remove_all(directory_ / "r");
    fs::copy(directory_ / "stopped", directory_ / "r", fs::copy_options::recursive);
    const Outcome o = run("recon s/study.toml --resume --out r " + options,
                          "LD_PRELOAD='" FIRM_KILL_LIBRARY "' FIRM_KILL_AT=" + std::to_string(n));
    if (o.code == 0) return true;
    EXPECT_EQ(o.code, 137) << n << o.err;  // the shell's code of SIGKILL
    return false;
  }

  void expect_resumes(int n, const std::string& options) {
    const bool complete = exists("r/summary.json");
    const Outcome o = run("recon s/study.toml --resume --out r " + options);
    // A complete run that has removed its state has nothing to resume.
    ASSERT_TRUE(o.code == 0 || (complete && o.code == 2)) << "killed at change " << n << o.err;
    EXPECT_TRUE(exists("r/summary.json")) << n;
    EXPECT_TRUE(exists("r/report.html")) << n;
    EXPECT_EQ(images("r"), images("whole")) << "killed at change " << n;
  }

  // Kills at every change of a file, or at every `stride`-th one.
  void kill_at_changes(const std::string& mode, int stride = 1) {
    ASSERT_EQ(run(std::string("recon s/study.toml --out whole") + kRules + mode).code, 0);
    ASSERT_EQ(
        run(std::string("recon s/study.toml --out stopped --set stop.rounds=2") + kRules + mode)
            .code,
        5);
    const std::string resume = mode.starts_with("--sep") ? mode : "";
    const std::string options = "--set stop.rounds=0 " + resume;
    int n = 1;
    while (!ends_before_kill(n, options)) {
      expect_resumes(n, options);
      if (HasFatalFailure()) return;
      n += stride;
    }
    EXPECT_GT(n, 10);  // images, pictures, report, summary and checkpoints
    EXPECT_EQ(images("r"), images("whole"));
  }
};

TEST_F(RunEnding, ResumesAfterKillAtEveryFileChange) { kill_at_changes(""); }

TEST_F(RunEnding, ResumesInChunksAfterKillAtFileChanges) { kill_at_changes("--set chunks=2", 3); }

TEST_F(RunEnding, ResumesSeparateSitesAfterKillAtFileChanges) { kill_at_changes("--separate", 3); }

// Killed before the first checkpoint: starts again.
TEST_F(RunEnding, StartsAgainWithoutCheckpoint) {
  ASSERT_EQ(run(std::string("recon s/study.toml --out whole") + kRules).code, 0);
  fs::copy(directory_ / "whole", directory_ / "r", fs::copy_options::recursive);
  fs::remove(directory_ / "r/summary.json");
  const Outcome o = run("recon s/study.toml --out r --resume");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.err, "no checkpoint found: starting from round 0");
  EXPECT_EQ(images("r"), images("whole"));
}

TEST_F(RunEnding, RefusesToResumeFinishedRun) {
  ASSERT_EQ(run(std::string("recon s/study.toml --out r") + kRules).code, 0);
  expect_error(run("recon s/study.toml --out r --resume"), 2, "a finished one (summary.json)");
}

}  // namespace
}  // namespace firm
