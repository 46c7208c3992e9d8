// `firm recon` and its run directory: one process at a time, and refusals before any data is read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <optional>

#include "core/child_process.h"
#include "io/files/directory_lock.h"
#include "io/files/pending_file.h"
#include "support/command_line.h"
#include "support/wait_until.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 600;  // seconds; only a failing test waits that long

class RunClaim : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out s --size 16 --angles 5 --slices 2 --noise 0.01").code, 0);
  }

  void stopped_run(const std::string& mode = "") {
    ASSERT_EQ(
        run("recon s/study.toml --out r --set stop.rounds=1 --set stop.discrepancy=0 " + mode).code,
        5);
  }

  std::map<std::string, std::string> contents(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / folder)) {
      if (entry.is_regular_file()) files[entry.path()] = file_content(entry.path());
    }
    return files;
  }

  void expect_in_use(const std::string& options, const std::string& before = "") {
    const auto there = contents("r");
    const Outcome o = run("recon s/study.toml --out r " + options, before);
    EXPECT_EQ(o.code, 2) << options;
    EXPECT_CONTAINS(o.err, "r: --out: expected a directory that no other process uses");
    EXPECT_EQ(contents("r"), there) << options;
  }

  // Without its data files a study cannot be read far.
  void remove_data() {
    for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      fs::remove(directory_ / ("s/" + site + ".h5"));
    }
  }
};

TEST_F(RunClaim, RefusesDirectoryOfRunningReconstruction) {
  ChildProcess child({FIRM_PROGRAM, "recon", directory_ / "s/study.toml", "--out", directory_ / "r",
                      "--method", "firm", "--set", "stop.discrepancy=0", "--set",
                      "firm.hold=1000000"});
  ASSERT_TRUE(
      wait_until(kPatience, [&] { return !file_content(directory_ / "r/history.jsonl").empty(); }));
  for (const std::string options : {"--overwrite", "--resume", ""}) {
    expect_error(run("recon s/study.toml --out r " + options), 2,
                 "r: --out: expected a directory that no other process uses");
  }
  EXPECT_TRUE(child.running()) << child.output();
  child.send(SIGINT);
  EXPECT_EQ(child.wait(kPatience), 5);
  EXPECT_EQ(summary("r").at("rounds"), history("r").back().at("round"));
  EXPECT_EQ(run("recon s/study.toml --out r --overwrite --set stop.change=0.5").code, 0);
}

TEST_F(RunClaim, LeavesLockedRunAlone) {
  stopped_run();
  const DirectoryLock lock(directory_ / "r");
  expect_in_use("");
  expect_in_use("--overwrite");
  expect_in_use("--resume");
  expect_in_use("--overwrite --set chunks=2");
}

TEST_F(RunClaim, LeavesLockedChunksAlone) {
  stopped_run("--set chunks=2");
  const DirectoryLock lock(directory_ / "r");
  expect_in_use("--resume");
  expect_in_use("--overwrite");
}

TEST_F(RunClaim, LeavesLockedSeparateSitesAlone) {
  stopped_run("--separate");
  const DirectoryLock lock(directory_ / "r");
  const std::string mpirun =
      "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "mpirun --oversubscribe -n 2";
  expect_in_use("--resume --separate");
  expect_in_use("--resume --mpi", mpirun);
  expect_in_use("--overwrite --mpi", mpirun);
}

// A run of an earlier version has no file "lock".
TEST_F(RunClaim, ResumesRunWithoutLockFile) {
  stopped_run();
  fs::remove(directory_ / "r/lock");
  EXPECT_EQ(run("recon s/study.toml --out r --resume --set stop.rounds=2").code, 5);
}

TEST_F(RunClaim, RefusesDirectoryBeforeReadingData) {
  ASSERT_EQ(run("recon s/study.toml --out r --set stop.change=0.5").code, 0);
  remove_data();
  write_text_file(directory_ / "file", "text");
  const auto there = contents("r");
  expect_error(run("recon s/study.toml --out r"), 2,
               "r: --out: expected a directory without a run");
  expect_error(run("recon s/study.toml --out r --resume"), 2, "a finished one (summary.json)");
  expect_error(run("recon s/study.toml --out file"), 3, "file: not a directory");
  expect_error(run("recon s/study.toml --out file/r --overwrite"), 3, "file: not a directory");
  expect_error(run("recon s/study.toml --out ''"), 3, "expected a directory that exists");
  EXPECT_EQ(contents("r"), there);
}

TEST_F(RunClaim, RefusesUnwritableDirectoryBeforeReadingData) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  remove_data();
  fs::create_directory(directory_ / "closed");
  fs::permissions(directory_ / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  expect_error(run("recon s/study.toml --out closed"), 3, "closed: Permission denied");
  expect_error(run("recon s/study.toml --out closed/r"), 3, "closed: Permission denied");
}

TEST_F(RunClaim, ChangesNothingWhenInputIsWrong) {
  stopped_run();
  remove_data();
  const auto there = contents("r");
  expect_error(run("recon s/study.toml --out r --overwrite"), 3, "xrf-1.h5");
  expect_error(run("recon s/study.toml --out r --resume"), 3, "xrf-1.h5");
  expect_error(run("recon s/study.toml --out new/r"), 3, "xrf-1.h5");
  EXPECT_EQ(contents("r"), there);
  EXPECT_FALSE(fs::exists(directory_ / "new"));
}

}  // namespace
}  // namespace firm
