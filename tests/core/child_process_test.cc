// ChildProcess, with real programs.
#include "core/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr double kPatience = 60;  // seconds; only a failing test waits that long

ChildProcess shell(const std::string& script, ChildOptions options = {}) {
  return ChildProcess({"/bin/sh", "-c", script}, std::move(options));
}

TEST(ChildProcess, ReturnsExitCodeAndBothStreams) {
  ChildProcess child = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(child.wait(), 7);
  EXPECT_EQ(child.exit_code(), 7);
  EXPECT_FALSE(child.running());
  EXPECT_EQ(child.output(), "out\nerr\n");
  EXPECT_EQ(child.program(), "/bin/sh");
}

TEST(ChildProcess, HasEmptyStandardInput) { EXPECT_EQ(ChildProcess({"/bin/cat"}).wait(), 0); }

TEST(ChildProcess, ReturnsSignalAbove128) {
  ChildProcess child = shell("kill -TERM $$");
  EXPECT_EQ(child.wait(), 128 + SIGTERM);
}

TEST(ChildProcess, WaitsNoLongerThanAsked) {
  ChildProcess child({"/bin/sleep", "1000"});
  EXPECT_FALSE(child.wait(0.02));
  EXPECT_TRUE(child.running());
  child.send(SIGTERM);
  EXPECT_EQ(child.wait(kPatience), 128 + SIGTERM);
  child.send(SIGTERM);  // has ended: nothing happens
}

TEST(ChildProcess, IsKilled) {
  ChildProcess child = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(child.text_after("ready", kPatience));
  child.kill();
  EXPECT_EQ(child.exit_code(), 128 + SIGKILL);
}

TEST(ChildProcess, IsKilledWithItsObject) {
  pid_t id = 0;
  {
    const ChildProcess child({"/bin/sleep", "1000"});
    id = child.id();
    EXPECT_EQ(::kill(id, 0), 0);
  }
  EXPECT_NE(::kill(id, 0), 0);
}

TEST(ChildProcess, CanBeMoved) {
  ChildProcess first = shell("echo here; exec sleep 1000");
  const pid_t id = first.id();
  ChildProcess second = std::move(first);
  EXPECT_EQ(second.id(), id);
  EXPECT_TRUE(second.text_after("her", kPatience));
  EXPECT_TRUE(second.running());
}

TEST(ChildProcess, WritesToLog) {
  const TemporaryDirectory directory;
  const std::string log = directory / "log";
  for (int run = 0; run < 2; ++run) {  // the second run replaces the log of the first
    ChildProcess child = shell("echo out; echo err >&2", {.log = log});
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.log(), log);
    EXPECT_EQ(child.output(), "out\nerr\n");
    EXPECT_EQ(file_content(log), "out\nerr\n");
  }
}

TEST(ChildProcess, AddsToEnvironment) {
  ChildProcess child = shell("echo $FIRM_CHILD $HOME ${PATH:+path}",
                             {.environment = {"FIRM_CHILD=a b", "HOME=/elsewhere"}});
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(child.output(), "a b /elsewhere path\n");
}

TEST(ChildProcess, KeepsLongOutput) {
  ChildProcess child = shell("yes 0123456789 | head -n 100000");
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(child.output().size(), 1'100'000u);
}

TEST(ChildProcess, DoesNotWaitForItsGrandchildren) {
  ChildProcess child = shell("sleep 1000 & echo $!");
  EXPECT_EQ(child.wait(), 0);
  const std::string output = child.output();
  ASSERT_FALSE(output.empty());
  EXPECT_EQ(::kill(std::stoi(output), SIGKILL), 0);
}

TEST(ChildProcess, WaitsForText) {
  ChildProcess child = shell("printf rea; printf dy; exec sleep 1000");
  EXPECT_TRUE(child.prints("ready", kPatience));
  EXPECT_FALSE(child.prints("more", 0.02));
}

TEST(ChildProcess, FindsTextAfterMark) {
  ChildProcess child =
      shell("echo listening on port 4711; echo listening on port 1; exec sleep 1000");
  EXPECT_EQ(child.text_after("port ", kPatience), "4711");
  EXPECT_EQ(child.text_after("port "), "4711");
  EXPECT_FALSE(child.text_after("host ", 0.02));
}

TEST(ChildProcess, DoesNotWaitForTextOfAnEndedChild) {
  ChildProcess child = shell("printf 'port 47'");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(child.text_after("port ", 10 * kPatience)) << "the line is not complete";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::duration<double>(kPatience));
}

TEST(ChildProcess, RejectsWhatCannotBeStarted) {
  EXPECT_EQ(error_of([] { ChildProcess({"/no/such/program"}); }),
            "/no/such/program: expected a program that can be started, found No such file or "
            "directory");
  EXPECT_EQ(error_of([] { ChildProcess({"/bin/sh"}, {.log = "/no/such/log"}); }),
            "/no/such/log: expected a file that can be written, found No such file or directory");
}

TEST(ChildProcess, FailsToWriteBeyondLimit) {
  const TemporaryDirectory directory;
  ChildProcess child = shell("cd '" + directory.path() +
                             "'; echo ready; while [ ! -e limited ]; do sleep 0.01; done; "
                             "head -c 100 /dev/zero > file; echo code $?");
  ASSERT_TRUE(child.text_after("ready", kPatience));
  child.limit_file_size(10);
  std::ofstream(directory / "limited");
  EXPECT_EQ(child.wait(kPatience), 0);
  EXPECT_EQ(child.text_after("code "), "1") << child.output();
  EXPECT_EQ(file_content(directory / "file").size(), 10u);
}

TEST(ChildProcess, DiesWithTheThreadThatStartedIt) {
  std::optional<ChildProcess> dies;
  std::optional<ChildProcess> stays;
  std::thread([&] {
    dies.emplace(shell("sleep 1000"));
    stays.emplace(shell("sleep 1000", {.dies_with_parent = false}));
  }).join();
  EXPECT_EQ(dies->wait(kPatience), 128 + SIGKILL);
  EXPECT_TRUE(stays->running());
}

TEST(ChildProcess, MeasuresPeakMemory) {
  // dd holds one block of 200 MiB.
  ChildProcess child({"/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1"});
  EXPECT_EQ(child.wait(), 0) << child.output();
  EXPECT_GT(child.peak_memory(), 200u << 20);
}

TEST(ChildProcess, StartsThisProgramAgain) {
  ChildProcess child(
      {this_program(), "--gtest_list_tests", "--gtest_filter=ChildProcess.IsKilled"});
  EXPECT_EQ(child.wait(), 0);
  EXPECT_NE(child.output().find("IsKilled"), std::string::npos) << child.output();
}

}  // namespace
}  // namespace firm
