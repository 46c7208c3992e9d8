// Longer versions of chaos_test.cc.
#include "service/chaos.h"

namespace firm {
namespace {

TEST(ChaosLong, ManyRounds) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=1000"};
  FederationProcesses federation(plan);
  Chaos chaos(federation, 11, {2e3, 2e6});
  chaos.strike(100);
  EXPECT_EQ(chaos.kills(), 100);
  EXPECT_GE(chaos.attempts(), chaos.runs() + 50);
  EXPECT_GE(chaos.resumed(), 20);
}

TEST(ChaosLong, LargeVectors) {
  FederationPlan plan;
  plan.size = 300;
  plan.angles = 6;
  plan.settings = {"method=firm+", "stop.discrepancy=0", "stop.rounds=30"};
  FederationProcesses federation(plan);
  Chaos chaos(federation, 12, {5e4, 1e7});
  chaos.strike(40);
  EXPECT_EQ(chaos.kills(), 40);
  EXPECT_GE(chaos.attempts(), chaos.runs() + 20);
  EXPECT_GE(chaos.resumed(), 5);
}

TEST(ChaosLong, FewRounds) {
  FederationProcesses federation{FederationPlan{}};
  Chaos chaos(federation, 13, {1e3, 4e4});
  chaos.strike(60);
  EXPECT_EQ(chaos.kills(), 60);
  EXPECT_GE(chaos.attempts(), chaos.runs() + 30);
}

// Breaks connections in either direction; kills no process.
TEST(ChaosLong, CutConnections) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=300"};
  FederationProcesses federation(plan);
  std::mt19937 random(14);
  int cuts = 0;
  int attempts = 0;
  while (cuts < 60 && !::testing::Test::HasFailure()) {
    federation.new_run();
    federation.start_all();
    while (cuts < 60 && federation.any_running()) {
      TcpProxy& proxy = federation.proxy(FederationProcesses::sites()[random() % 4]);
      proxy.stall_after(random() % 2 == 0 ? TcpProxy::kUp : TcpProxy::kDown, random() % 100'000);
      EXPECT_TRUE(wait_until(FederationProcesses::kPatience, [&] {
        return proxy.stalled() || !federation.any_running();
      })) << federation.everything_printed();
      if (proxy.stalled()) ++cuts;
      proxy.cut();
      proxy.resume();
    }
    federation.expect_all_finish();
    attempts += federation.json(FederationProcesses::kCoordinator, "coordinator.json")
                    .at("attempt")
                    .get<int>();
  }
  EXPECT_EQ(cuts, 60);
  EXPECT_GE(attempts, 30);
}

// Sites whose coordinator does not come back end with their results.
TEST(ChaosLong, CoordinatorDoesNotComeBack) {
  FederationProcesses federation{FederationPlan{}};
  federation.start_all();
  EXPECT_TRUE(wait_until(FederationProcesses::kPatience,
                         [&] { return federation.sent("xrt", "share") > 0; }));
  // With a full disk the coordinator cannot finish the run.
  ChildProcess& coordinator = federation.process(FederationProcesses::kCoordinator);
  coordinator.limit_file_size(0);
  EXPECT_EQ(coordinator.wait(FederationProcesses::kPatience), 3);
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_TRUE(federation.running(site)) << site;
  }
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_EQ(federation.process(site).wait(FederationProcesses::kPatience), 0);
  }
  federation.expect_reference_images();
}

}  // namespace
}  // namespace firm
