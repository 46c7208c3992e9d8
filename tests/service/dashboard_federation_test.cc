// Dashboards of a federation: what coordinator and sites show, and how they pause and stop.
#include <sstream>

#include "service/federation_processes.h"
#include "service/watched_process.h"

namespace firm {
namespace {

using nlohmann::json;

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
constexpr double kPatience = FederationProcesses::kPatience;

class DashboardFederation : public ::testing::Test {
 protected:
  static FederationPlan plan() {
    FederationPlan plan;
    plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=600", "firm.hold=1000000"};
    plan.delay = 4;
    plan.coordinator_arguments = plan.site_arguments = {"--dashboard", "127.0.0.1:0"};
    return plan;
  }
  DashboardFederation() : federation_(plan()) {}

  DashboardClient client(const std::string& name) {
    EXPECT_TRUE(federation_.process(name).prints("#token=", kPatience)) << federation_.log(name);
    return DashboardClient(federation_.log(name));
  }
  void expect_states(DashboardClient& at, const std::map<std::string, std::string>& expected) {
    json sites;
    const bool reached = wait_until(kPatience, [&] {
      sites = at.live().value("sites", json::array());
      return sites.size() == expected.size() &&
             std::all_of(sites.begin(), sites.end(), [&](const json& site) {
               return site["state"] == expected.at(site["name"]);
             });
    });
    EXPECT_TRUE(reached) << sites.dump();
  }

  FederationProcesses federation_;
};

TEST_F(DashboardFederation, EachPageShowsItsOwnState) {
  federation_.start(kCoordinator);
  DashboardClient coordinator = client(kCoordinator);
  expect_states(
      coordinator,
      {{"xrf-1", "expected"}, {"xrf-2", "expected"}, {"xrf-3", "expected"}, {"xrt", "expected"}});
  EXPECT_EQ(coordinator.live()["stage"], "for all sites to connect");
  federation_.start("xrt");
  expect_states(
      coordinator,
      {{"xrf-1", "expected"}, {"xrf-2", "expected"}, {"xrf-3", "expected"}, {"xrt", "waiting"}});
  for (const char* site : {"xrf-1", "xrf-2", "xrf-3"}) federation_.start(site);
  ASSERT_TRUE(wait_until(kPatience, [&] { return coordinator.live().value("sums", 0) > 20; }));
  EXPECT_EQ(coordinator.live()["stage"], "");
  EXPECT_EQ(coordinator.command("pause"), 200);
  DashboardClient site = client("xrf-2");
  ASSERT_TRUE(wait_until(kPatience, [&] { return site.live().value("round", 0) > 5; }));

  const json of_coordinator = coordinator.json("/api/document");
  EXPECT_EQ(of_coordinator["kind"], "coordinator");
  EXPECT_FALSE(of_coordinator.contains("study"));
  EXPECT_FALSE(of_coordinator.contains("images"));
  EXPECT_FALSE(of_coordinator["curves"].empty());
  for (const json& curve : of_coordinator["curves"]) EXPECT_EQ(curve["key"], "sum_seconds");
  EXPECT_EQ(coordinator.get("/api/images")->status, 204);
  const std::string metrics = coordinator.get("/metrics")->body;
  EXPECT_NE(metrics.find("firm_site_state{site=\"xrf-1\",state=\""), std::string::npos);
  EXPECT_EQ(metrics.find("firm_objective"), std::string::npos);
  ASSERT_EQ(of_coordinator["live"]["sites"].size(), 4u);
  for (const json& one : of_coordinator["live"]["sites"]) {
    EXPECT_GT(one["bytes_up"], 0);
    EXPECT_GT(one["bytes_down"], 0);
  }

  const json of_site = site.json("/api/document");
  EXPECT_EQ(of_site["kind"], "site");
  EXPECT_FALSE(of_site["curves"].empty());
  for (const json& curve : of_site["curves"]) {
    const bool of_sites = curve["key"] == "residual" || curve["key"] == "fit";
    EXPECT_EQ(curve["site"], of_sites ? "xrf-2" : "");
  }
  ASSERT_EQ(of_site["live"]["sites"].size(), 1u);
  EXPECT_EQ(of_site["live"]["sites"][0]["name"], "xrf-2");
  EXPECT_GT(of_site["live"]["sites"][0]["bytes"], 0);
  const std::string sent = site.get("/metrics")->body;
  EXPECT_NE(sent.find("firm_sent_bytes_total{kind=\"share\"} "), std::string::npos);

  // All sites have sent their shares and wait for the coordinator.
  expect_states(
      coordinator,
      {{"xrf-1", "waiting"}, {"xrf-2", "waiting"}, {"xrf-3", "waiting"}, {"xrt", "waiting"}});
  const int sums = coordinator.live()["sums"];
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(coordinator.live()["sums"], sums);
  EXPECT_EQ(coordinator.command("resume"), 200);
  federation_.expect_all_finish();
}

TEST_F(DashboardFederation, OthersWaitForPausedSite) {
  federation_.start_all();
  DashboardClient site = client("xrf-2");
  DashboardClient coordinator = client(kCoordinator);
  ASSERT_TRUE(wait_until(kPatience, [&] { return site.live().value("round", 0) > 5; }));
  EXPECT_EQ(site.command("pause"), 200);
  expect_states(
      coordinator,
      {{"xrf-1", "waiting"}, {"xrf-2", "computing"}, {"xrf-3", "waiting"}, {"xrt", "waiting"}});
  EXPECT_EQ(site.command("resume"), 200);
  federation_.expect_all_finish();
}

TEST_F(DashboardFederation, SameCommandResumesStoppedRun) {
  federation_.start_all();
  DashboardClient coordinator = client(kCoordinator);
  for (const std::string name : {"xrf-2", kCoordinator}) {
    DashboardClient at = client(name);
    ASSERT_TRUE(wait_until(kPatience, [&] { return at.live().value("sums", 0) > 20; }));
    EXPECT_EQ(at.command("stop"), 200);
    EXPECT_EQ(federation_.process(name).wait(kPatience), 5) << federation_.log(name);
    if (name != kCoordinator) {
      expect_states(
          coordinator,
          {{"xrf-1", "waiting"}, {"xrf-2", "lost"}, {"xrf-3", "waiting"}, {"xrt", "waiting"}});
    }
    federation_.start(name);
  }
  federation_.expect_all_finish();
}

// ---- the terminal ------------------------------------------------------------------------------

TEST(FederationTerminal, PrintsOnlyJsonLines) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=20"};
  plan.coordinator_arguments = plan.site_arguments = {"--json", "--quiet"};
  FederationProcesses federation(plan);
  federation.start_all();
  for (const std::string& name : federation.everyone()) {
    const bool site = name != kCoordinator;
    EXPECT_EQ(federation.process(name).wait(kPatience), site ? 5 : 0) << federation.log(name);
    const std::vector<json> lines = parse_json_lines(federation.log(name));
    const auto count = [&](const std::string& type) {
      return std::count_if(lines.begin(), lines.end(),
                           [&](const json& line) { return line.at("type") == type; });
    };
    EXPECT_GT(count("event"), 0) << name;
    EXPECT_EQ(count("round"), site ? 21 : 0) << name;
    EXPECT_EQ(count("summary"), 1) << name;
    json last = lines.back();
    last.erase("type");
    EXPECT_EQ(last, federation.json(name, "summary.json")) << name;
  }
}

// A stopped run does not report the summary of an earlier run.
TEST(FederationTerminal, HasNoSummaryOfEarlierRun) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=20"};
  plan.coordinator_arguments = plan.site_arguments = {"--json", "--quiet"};
  FederationProcesses federation(plan);
  federation.start_all();
  for (const std::string& name : federation.everyone()) {
    ASSERT_TRUE(federation.process(name).wait(kPatience));
  }
  ChildProcess again(federation.command("xrt"));  // no coordinator answers
  ASSERT_TRUE(again.prints("retrying", kPatience)) << again.output();
  again.send(SIGINT);
  EXPECT_EQ(again.wait(kPatience), 5) << again.output();
  for (const json& line : parse_json_lines(again.output())) EXPECT_EQ(line.at("type"), "event");
}

}  // namespace
}  // namespace firm
