// A full disk, Ctrl-C: the program says so, leaves its state intact, and the same command goes on.
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
    for (const std::string& other : FederationProcesses::everyone()) {
      EXPECT_EQ(federation_.running(other), other != name) << other;
    }
  }
  void go_on_with(const std::string& name) {
    federation_.start(name);
    federation_.expect_all_finish();
  }

  FederationProcesses federation_;
};

// ---- full disks --------------------------------------------------------------------------------

TEST_F(ProcessFaults, DiskOfASiteIsFull) {
  start_and_wait_for_shares(20);
  federation_.process("xrf-2").limit_files(0);
  expect_end("xrf-2", 3, "-xrf-2/");  // the file that came first: a ledger, or a checkpoint
  EXPECT_CONTAINS(federation_.log("xrf-2"), "File too large");
  go_on_with("xrf-2");
  EXPECT_GE(federation_.beginnings().size(), 2u);

  // Lines of the ledger have room for some time; checkpoints have not.
  start_and_wait_for_shares(1);
  federation_.process("xrf-2").limit_files(12'000);
  expect_end("xrf-2", 3, "h5: expected a file that can be written, found File too large");
  EXPECT_CONTAINS(federation_.log("xrf-2"), "checkpoint-");
  EXPECT_CONTAINS(federation_.log(kCoordinator), "xrf-2: cannot go on: ");
  go_on_with("xrf-2");
}

TEST_F(ProcessFaults, DiskOfTheCoordinatorIsFull) {
  federation_.start(kCoordinator);
  federation_.process(kCoordinator).limit_files(0);
  for (const std::string& site : FederationProcesses::sites()) federation_.start(site);
  expect_end(kCoordinator, 3, "coordinator.json: expected a file that can be written");
  go_on_with(kCoordinator);

  start_and_wait_for_shares(20);
  const auto before = federation_.json(kCoordinator, "coordinator.json");
  federation_.process(kCoordinator).limit_files(0);
  federation_.kill("xrf-1");
  federation_.start("xrf-1");
  expect_end(kCoordinator, 3, "coordinator.json: expected a file that can be written");
  for (const char* key : {"run", "attempt", "finished"}) {
    EXPECT_EQ(federation_.json(kCoordinator, "coordinator.json").at(key), before.at(key));
  }
  go_on_with(kCoordinator);
}

class FullAtTheEnd : public ::testing::Test {
 protected:
  static FederationPlan plan() {
    FederationPlan plan;
    plan.checkpoint_seconds = 1000;
    plan.delay = 10;
    return plan;
  }
  FullAtTheEnd() : federation_(plan()) {}

  // Room for nothing but short files, once the run is under way.
  void run_without_room(const std::string& name, rlim_t bytes) {
    federation_.start_all();
    ASSERT_TRUE(wait_until(kPatience, [&] { return federation_.sent("xrt", "share") > 0; }));
    federation_.process(name).limit_files(bytes);
    EXPECT_EQ(federation_.process(name).wait(kPatience), 3) << federation_.everything_printed();
  }
  void go_on_with(const std::string& name) {
    federation_.start(name);
    federation_.expect_all_finish();
  }

  FederationProcesses federation_;
};

TEST_F(FullAtTheEnd, ForTheResultsOfASite) {
  run_without_room("xrt", 12'000);
  EXPECT_CONTAINS(federation_.log("xrt"), "images.h5: expected a file that can be written");
  EXPECT_FALSE(federation_.json("xrt", "federation.json").at("done").get<bool>());
  go_on_with("xrt");
}

TEST_F(FullAtTheEnd, ForTheCoordinatorToSayThatItIsFinished) {
  run_without_room(kCoordinator, 0);
  EXPECT_FALSE(federation_.json(kCoordinator, "coordinator.json").at("finished").get<bool>());
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_TRUE(federation_.running(site)) << site;
    EXPECT_TRUE(federation_.json(site, "federation.json").at("done").get<bool>()) << site;
  }
  go_on_with(kCoordinator);
}

// ---- Ctrl-C ------------------------------------------------------------------------------------

TEST_F(ProcessFaults, Interrupted) {
  for (const std::string name : {"xrf-2", kCoordinator}) {
    start_and_wait_for_shares(20);
    federation_.process(name).send(SIGINT);
    expect_end(name, 5, "Stopped; the same command goes on.");
    go_on_with(name);
    EXPECT_EQ(federation_.beginnings().size(), 2u);
    // What came before it was interrupted counts; what was on its way then is lost.
    const auto summary = federation_.json(kCoordinator, "summary.json");
    double sent = 0;
    for (const auto& line : federation_.ledger("xrf-1")) sent += line.at("bytes").get<double>();
    const double received = summary.at("sites")[0].at("bytes_up");
    EXPECT_LE(received, sent);
    EXPECT_GT(received, 0.9 * sent);
  }
}

// While it waits for others, and while it waits for a coordinator.
TEST_F(ProcessFaults, InterruptedWhileItWaits) {
  federation_.start(kCoordinator);
  for (const bool with_coordinator : {true, false}) {
    federation_.start("xrf-2");
    ASSERT_TRUE(federation_.process("xrf-2").prints("waiting for", kPatience));
    if (!with_coordinator) {
      federation_.kill(kCoordinator);
      ASSERT_TRUE(federation_.process("xrf-2").prints("trying again", kPatience));
    }
    federation_.process("xrf-2").send(SIGINT);
    EXPECT_EQ(federation_.process("xrf-2").wait(kPatience), 5);
    EXPECT_CONTAINS(federation_.log("xrf-2"), "Stopped; the same command goes on.");
  }
}

// ---- a connection that says nothing any more, without an end
// -------------------------------------

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
  EXPECT_TRUE(federation.process("xrf-2").prints("trying again", kPatience))
      << federation.everything_printed();
  proxy.resume();
  federation.expect_all_finish();
  EXPECT_GE(federation.beginnings().size(), 2u);
}

// ---- two at once -------------------------------------------------------------------------------

TEST_F(ProcessFaults, TheSameCommandTwiceAtOnce) {
  start_and_wait_for_shares(20);
  for (const std::string name : {"xrf-2", kCoordinator}) {
    Process second(federation_.command(name));
    EXPECT_EQ(second.wait(kPatience), 2);
    EXPECT_CONTAINS(second.output(), "expected a directory that no other process works in");
  }
  federation_.expect_all_finish();
  EXPECT_EQ(federation_.beginnings().size(), 1u);
}

}  // namespace
}  // namespace firm
