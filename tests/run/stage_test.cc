// Shards that are solved side by side, each in a thread of its own.
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "firm/tools.h"
#include "run/reconstruct.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// One vote ends the rounds, but what a shard does after them it has to end itself.
TEST(SideBySide, EveryShardAsksWhetherTheUserInterrupts) {
  const TemporaryDirectory directory;
  simulate_study(directory.path(), {{"size", "16"}, {"angles", "6"}, {"noise", "0.01"}});
  const std::thread::id own = std::this_thread::get_id();
  std::mutex mutex;
  std::set<std::thread::id> threads;
  RunCallbacks callbacks;
  callbacks.interrupted = [&] {
    const std::lock_guard lock(mutex);
    if (std::this_thread::get_id() != own) threads.insert(std::this_thread::get_id());
    return false;
  };
  ReconArguments arguments{.study = directory / "study.toml", .out = directory / "run"};
  arguments.separate = true;
  arguments.settings = {{"stop.rounds", "2"}};
  reconstruct_to_directory(arguments, callbacks);
  EXPECT_EQ(threads.size(), 4u);  // three XRF sites and XRT
}

}  // namespace
}  // namespace firm
