// A full disk and Ctrl-C: the program reports them, keeps its state intact, and the same command
// resumes the run.
#include "service/federation_processes.h"

namespace firm {
namespace {

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
constexpr double kPatience = FederationProcesses::kPatience;

class ProcessFaults : public ::testing::Test {
 protected:
  static FederationPlan plan() {
    FederationPlan plan;
    plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=120"};
    plan.delay = 5;
    plan.size = 192;  // so that a checkpoint is longer than the whole ledger
    return plan;
  }
  ProcessFaults() : federation_(plan()) {}

  void start_and_wait_for_shares(int count) {
    federation_.new_run();
    federation_.start_all();
    ASSERT_TRUE(wait_until(kPatience, [&] { return federation_.sent("xrf-2", "share") > count; }))
        << federation_.everything_printed();
  }
  void expect_end(const std::string& name, int code, const std::string& part) {
    EXPECT_EQ(federation_.process(name).wait(kPatience), code) << federation_.everything_printed();
    EXPECT_CONTAINS(federation_.log(name), part);
    for (const std::string& other : federation_.everyone()) {
      EXPECT_EQ(federation_.running(other), other != name) << other;
    }
  }
  void resume(const std::string& name) {
    federation_.start(name);
    federation_.expect_all_finish();
  }

  FederationProcesses federation_;
};

// ---- full disks --------------------------------------------------------------------------------

TEST_F(ProcessFaults, SurvivesFullDiskOfSite) {
  start_and_wait_for_shares(20);
  federation_.process("xrf-2").limit_file_size(0);
  expect_end("xrf-2", 3, "-xrf-2/");  // whichever file fails first: ledger or checkpoint
  EXPECT_CONTAINS(federation_.log("xrf-2"), "File too large");
  resume("xrf-2");
  EXPECT_GE(federation_.beginnings().size(), 2u);

  // There is room for all lines of the ledger, but not for checkpoints.
  start_and_wait_for_shares(1);
  federation_.process("xrf-2").limit_file_size(110'000);
  expect_end("xrf-2", 3, "expected a file that can be written, found File too large");
  EXPECT_CONTAINS(federation_.log("xrf-2"), "-xrf-2/checkpoint-");
  EXPECT_CONTAINS(federation_.log(kCoordinator), "xrf-2: cannot continue: ");
  resume("xrf-2");
}

TEST_F(ProcessFaults, SurvivesFullDiskOfCoordinator) {
  federation_.start(kCoordinator);
  federation_.process(kCoordinator).limit_file_size(0);
  for (const std::string& site : FederationProcesses::sites()) federation_.start(site);
  expect_end(kCoordinator, 3, "coordinator.json: expected a file that can be written");
  resume(kCoordinator);

  start_and_wait_for_shares(20);
  const auto before = federation_.json(kCoordinator, "coordinator.json");
  federation_.process(kCoordinator).limit_file_size(0);
  federation_.kill("xrf-1");
  federation_.start("xrf-1");
  expect_end(kCoordinator, 3, "coordinator.json: expected a file that can be written");
  for (const char* key : {"run", "attempt", "finished"}) {
    EXPECT_EQ(federation_.json(kCoordinator, "coordinator.json").at(key), before.at(key));
  }
  resume(kCoordinator);
}

class FullAtTheEnd : public ::testing::Test {
 protected:
  static FederationPlan plan() {
    FederationPlan plan;
    plan.size = 400;  // images are longer than the ledger
    plan.checkpoint_seconds = 1000;
    plan.delay = 10;
    return plan;
  }
  FullAtTheEnd() : federation_(plan()) {}

  // Leaves room only for short files once the run is in progress.
  void run_without_room(const std::string& name, std::uint64_t bytes) {
    federation_.start_all();
    ASSERT_TRUE(wait_until(kPatience, [&] { return federation_.sent("xrt", "share") > 0; }));
    federation_.process(name).limit_file_size(bytes);
    EXPECT_EQ(federation_.process(name).wait(kPatience), 3) << federation_.everything_printed();
  }
  void resume(const std::string& name) {
    federation_.start(name);
    federation_.expect_all_finish();
  }

  FederationProcesses federation_;
};

TEST_F(FullAtTheEnd, SiteWritesResultsAfterRestart) {
  run_without_room("xrt", 400'000);
  EXPECT_CONTAINS(federation_.log("xrt"), "images.h5: ");
  EXPECT_CONTAINS(federation_.log("xrt"), "expected a file that can be written");
  EXPECT_FALSE(federation_.json("xrt", "federation.json").at("done").get<bool>());
  resume("xrt");
}

TEST_F(FullAtTheEnd, CoordinatorFinishesAfterRestart) {
  run_without_room(kCoordinator, 0);
  EXPECT_FALSE(federation_.json(kCoordinator, "coordinator.json").at("finished").get<bool>());
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_TRUE(federation_.running(site)) << site;
    EXPECT_TRUE(federation_.json(site, "federation.json").at("done").get<bool>()) << site;
  }
  resume(kCoordinator);
}

// ---- Ctrl-C ------------------------------------------------------------------------------------

TEST_F(ProcessFaults, ResumesAfterCtrlC) {
  for (const std::string name : {"xrf-2", kCoordinator}) {
    start_and_wait_for_shares(20);
    federation_.process(name).send(SIGINT);
    expect_end(name, 5, "Stopped. Run the same command to resume.");
    resume(name);
    EXPECT_EQ(federation_.beginnings().size(), 2u);
    // Messages that arrived before the interrupt count; those on their way are lost.
    const auto summary = federation_.json(kCoordinator, "summary.json");
    double sent = 0;
    for (const auto& line : federation_.ledger("xrf-1")) sent += line.at("bytes").get<double>();
    const double received = summary.at("sites")[0].at("bytes_up");
    EXPECT_LE(received, sent);
    EXPECT_GT(received, 0.9 * sent);
  }
}

// Interrupts a site while it waits for other sites, and while it waits for a coordinator.
TEST_F(ProcessFaults, CtrlCEndsWaiting) {
  federation_.start(kCoordinator);
  for (const bool with_coordinator : {true, false}) {
    federation_.start("xrf-2");
    ASSERT_TRUE(federation_.process("xrf-2").prints("waiting for", kPatience));
    if (!with_coordinator) {
      federation_.kill(kCoordinator);
      ASSERT_TRUE(federation_.process("xrf-2").prints("retrying", kPatience));
    }
    federation_.process("xrf-2").send(SIGINT);
    EXPECT_EQ(federation_.process("xrf-2").wait(kPatience), 5);
    EXPECT_CONTAINS(federation_.log("xrf-2"), "Stopped. Run the same command to resume.");
  }
}

// ---- a stalled connection ----------------------------------------------------------------------

TEST(HalfOpen, IsNoticedAtBothEnds) {
  FederationPlan plan;
  plan.coordinator_arguments = plan.site_arguments = {"--keepalive-seconds", "1"};
  FederationProcesses federation(plan);
  federation.start_all();
  TcpProxy& proxy = federation.proxy("xrf-2");
  proxy.stall_after(TcpProxy::kUp, 8'000);  // after the keys, within a share
  ASSERT_TRUE(wait_until(kPatience, [&] { return proxy.stalled(); }));
  EXPECT_TRUE(
      federation.process(kCoordinator).prints("the connection to xrf-2 was lost", kPatience))
      << federation.everything_printed();
  EXPECT_TRUE(federation.process("xrf-2").prints("retrying", kPatience))
      << federation.everything_printed();
  proxy.resume();
  federation.expect_all_finish();
  EXPECT_GE(federation.beginnings().size(), 2u);
}

// ---- two at once -------------------------------------------------------------------------------

TEST_F(ProcessFaults, RefusesSecondProcessInSameDirectory) {
  start_and_wait_for_shares(20);
  for (const std::string name : {"xrf-2", kCoordinator}) {
    ChildProcess second(federation_.command(name));
    EXPECT_EQ(second.wait(kPatience), 2);
    EXPECT_CONTAINS(second.output(), "expected a directory that no other process uses");
  }
  federation_.expect_all_finish();
  EXPECT_EQ(federation_.beginnings().size(), 1u);
}

}  // namespace
}  // namespace firm
