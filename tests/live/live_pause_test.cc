#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "live/live_run.h"

namespace firm {
namespace {

TEST(LiveRun, TellsOfPauses) {
  LiveRun run("recon");
  std::vector<std::string> lines;
  const auto tell = [&](const std::string& line) { lines.push_back(line); };
  run.wait_while_paused({}, tell);
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(run.paused_seconds(), 0);

  run.set_paused(true);
  run.wait_while_paused({}, [&](const std::string& line) {
    tell(line);
    if (line == "paused") run.set_paused(false);
  });
  EXPECT_EQ(lines, (std::vector<std::string>{"paused", "resumed"}));
  const double paused = run.paused_seconds();
  EXPECT_GT(paused, 0);

  // Ctrl-C ends a pause; the rounds that follow count as work.
  run.set_paused(true);
  run.wait_while_paused([] { return true; }, tell);
  run.wait_while_paused([] { return true; }, tell);
  EXPECT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines.back(), "paused");
  const double ended = run.paused_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(run.paused_seconds(), ended);

  run.set_paused(true);
  run.wait_while_paused({}, [&](const std::string& line) {
    tell(line);
    run.request_stop();
  });
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines.back(), "paused");
}

}  // namespace
}  // namespace firm
