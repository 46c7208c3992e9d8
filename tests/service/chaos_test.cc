// kill -9 at random moments: the images equal those of an undisturbed run, byte for byte.
#include "service/chaos.h"

namespace firm {
namespace {

void expect_all_struck(FederationProcesses& federation, Chaos& chaos, int kills) {
  chaos.strike(kills);
  std::printf("%d kills, %d runs, %d attempts, %d of them from a checkpoint\n", chaos.kills(),
              chaos.runs(), chaos.attempts(), chaos.resumed());
  EXPECT_EQ(chaos.kills(), kills);
  // Most kills happen within an attempt.
  EXPECT_GE(chaos.attempts(), chaos.runs() + kills / 3);
  EXPECT_FALSE(federation.any_running());
}

// A run with hundreds of small sums.
TEST(Chaos, ManyRounds) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=300"};
  FederationProcesses federation(plan);
  Chaos chaos(federation, 1, {2e3, 5e5});
  expect_all_struck(federation, chaos, 20);
  EXPECT_GE(chaos.resumed(), 1);
}

// Shares of 300 x 300 words are sent in several chunks: nearly all kills happen within a share.
TEST(Chaos, LargeVectors) {
  FederationPlan plan;
  plan.size = 300;
  plan.angles = 4;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=6"};
  FederationProcesses federation(plan);
  Chaos chaos(federation, 2, {5e4, 2e6});
  expect_all_struck(federation, chaos, 8);
}

// Kills at each of the last sums of a run without checkpoints: every attempt begins at round 0.
TEST(Chaos, LastRounds) {
  FederationPlan plan;
  plan.checkpoint_seconds = 1000;
  plan.delay = 30;  // slow enough to kill in time
  FederationProcesses federation(plan);
  const int sums = federation.reference().at("exchanges").get<int>();
  federation.start_all();
  int kills = 0;
  for (const std::string victim : {"xrf-1", "xrt", "coordinator", "xrf-3"}) {
    const int sum = sums - 3 + kills;  // the last sum confirms the others
    EXPECT_TRUE(wait_until(FederationProcesses::kPatience, [&] {
      return federation.place("xrf-2") >= FederationProcesses::Place{kills + 1, sum};
    })) << federation.everything_printed();
    federation.kill(victim);
    federation.start(victim);
    ++kills;
  }
  federation.expect_all_finish();
  EXPECT_EQ(federation.beginnings(), std::vector<int>(5, 0));
}

}  // namespace
}  // namespace firm
