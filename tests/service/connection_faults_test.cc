// Connections that stall without being closed: both ends notice, and the run continues.
#include "service/federation_processes.h"

namespace firm {
namespace {

class ConnectionFaults : public ::testing::Test {
 protected:
  ConnectionFaults() : federation_(plan()) {}

  static FederationPlan plan() {
    FederationPlan plan;
    plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=120"};
    plan.coordinator_arguments = plan.site_arguments = {"--keepalive-seconds", "1"};
    return plan;
  }

  // Starts a run and stalls the connection of the second site within a share.
  void stall_midway() {
    federation_.start_all();
    federation_.proxy("xrf-2").stall_after(TcpProxy::kUp, 60'000);
    ASSERT_TRUE(wait_until(FederationProcesses::kPatience,
                           [&] { return federation_.proxy("xrf-2").stalled(); }));
    expect_lost();
  }
  void expect_lost() {
    EXPECT_TRUE(federation_.process(FederationProcesses::kCoordinator)
                    .prints("the connection to xrf-2 was lost", FederationProcesses::kPatience))
        << federation_.everything_printed();
    EXPECT_TRUE(federation_.process("xrf-2").prints("retrying", FederationProcesses::kPatience))
        << federation_.everything_printed();
  }
  void expect_end_after_attempts(int attempts) {
    federation_.expect_all_finish();
    // There may be more when a busy machine answers pings too late.
    EXPECT_GE(federation_.json(FederationProcesses::kCoordinator, "coordinator.json").at("attempt"),
              attempts);
  }

  FederationProcesses federation_;
};

TEST_F(ConnectionFaults, SurvivesStallThatEnds) {
  stall_midway();
  federation_.proxy("xrf-2").resume();
  expect_end_after_attempts(2);
}

TEST_F(ConnectionFaults, SurvivesStallThatEndsInCut) {
  stall_midway();
  federation_.proxy("xrf-2").cut();
  federation_.proxy("xrf-2").resume();
  expect_end_after_attempts(2);
}

// The site can send, but receives nothing.
TEST_F(ConnectionFaults, SurvivesStallInOneDirection) {
  federation_.start_all();
  ASSERT_TRUE(wait_until(FederationProcesses::kPatience,
                         [&] { return federation_.sent("xrf-2", "share") > 10; }));
  federation_.proxy("xrf-2").stall(TcpProxy::kDown);
  expect_lost();
  federation_.proxy("xrf-2").resume();
  expect_end_after_attempts(2);
}

// Connections are refused for a while: the site keeps retrying.
TEST_F(ConnectionFaults, SurvivesRefusedConnections) {
  federation_.start_all();
  ASSERT_TRUE(wait_until(FederationProcesses::kPatience,
                         [&] { return federation_.sent("xrf-2", "share") > 10; }));
  federation_.proxy("xrf-2").refuse();
  federation_.proxy("xrf-2").cut();
  expect_lost();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  federation_.proxy("xrf-2").accept_again();
  expect_end_after_attempts(2);
}

// Stopped processes, as on a machine that swaps or sleeps.
TEST_F(ConnectionFaults, SurvivesPausedSite) {
  federation_.start_all();
  ASSERT_TRUE(wait_until(FederationProcesses::kPatience,
                         [&] { return federation_.sent("xrf-2", "share") > 10; }));
  federation_.process("xrf-2").send(SIGSTOP);
  EXPECT_TRUE(federation_.process(FederationProcesses::kCoordinator)
                  .prints("the connection to xrf-2 was lost", FederationProcesses::kPatience));
  federation_.process("xrf-2").send(SIGCONT);
  expect_end_after_attempts(2);
}

TEST_F(ConnectionFaults, SurvivesPausedCoordinator) {
  federation_.start_all();
  ASSERT_TRUE(wait_until(FederationProcesses::kPatience,
                         [&] { return federation_.sent("xrf-2", "share") > 10; }));
  federation_.process(FederationProcesses::kCoordinator).send(SIGSTOP);
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_TRUE(federation_.process(site).prints("retrying", FederationProcesses::kPatience));
  }
  federation_.process(FederationProcesses::kCoordinator).send(SIGCONT);
  expect_end_after_attempts(2);
}

// A coordinator and one site that waits for the other sites.
void start_waiting(FederationProcesses& federation) {
  federation.start(FederationProcesses::kCoordinator);
  federation.start("xrf-2");
  ASSERT_TRUE(federation.process("xrf-2").prints("waiting for", FederationProcesses::kPatience))
      << federation.everything_printed();
}

// After many pings without messages, the coordinator still notices a lost site.
TEST(Pings, ContinueWithoutTraffic) {
  FederationPlan plan;
  plan.coordinator_arguments = {"--keepalive-seconds", "0.5"};
  plan.site_arguments = {"--keepalive-seconds", "600"};
  FederationProcesses federation(plan);
  start_waiting(federation);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  ChildProcess& coordinator = federation.process(FederationProcesses::kCoordinator);
  EXPECT_EQ(coordinator.output().find("disconnected"), std::string::npos);
  federation.proxy("xrf-2").stall();
  EXPECT_TRUE(coordinator.prints("xrf-2: disconnected", 30)) << federation.everything_printed();
}

// The coordinator does not treat frequent pings as an attack.
TEST(Pings, OfSiteMayBeMoreFrequent) {
  FederationPlan plan;
  plan.site_arguments = {"--keepalive-seconds", "0.5"};
  FederationProcesses federation(plan);
  start_waiting(federation);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  EXPECT_TRUE(federation.running("xrf-2"));
  EXPECT_EQ(federation.log("xrf-2").find("retrying"), std::string::npos)
      << federation.everything_printed();
}

}  // namespace
}  // namespace firm
