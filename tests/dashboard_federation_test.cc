// Dashboards of a federation: who sees what, and what pausing and stopping do.
#include "federation_processes.h"
#include "watched_process.h"

namespace firm {
namespace {

using nlohmann::json;

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
constexpr double kPatience = FederationProcesses::kPatience;

class DashboardFederation : public ::testing::Test {
 protected:
  static FederationPlan plan() {
    FederationPlan plan;
    plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=500"};
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
      sites = at.live()["sites"];
      return std::all_of(sites.begin(), sites.end(), [&](const json& site) {
        return site["state"] == expected.at(site["name"]);
      });
    });
    EXPECT_TRUE(reached) << sites.dump();
  }

  FederationProcesses federation_;
};

TEST_F(DashboardFederation, EverybodySeesWhatIsHis) {
  federation_.start(kCoordinator);
  DashboardClient coordinator = client(kCoordinator);
  expect_states(
      coordinator,
      {{"xrf-1", "expected"}, {"xrf-2", "expected"}, {"xrf-3", "expected"}, {"xrt", "expected"}});
  federation_.start("xrt");
  expect_states(
      coordinator,
      {{"xrf-1", "expected"}, {"xrf-2", "expected"}, {"xrf-3", "expected"}, {"xrt", "waiting"}});
  for (const char* site : {"xrf-1", "xrf-2", "xrf-3"}) federation_.start(site);
  ASSERT_TRUE(wait_until(kPatience, [&] { return coordinator.live().value("sums", 0) > 20; }));
  EXPECT_EQ(coordinator.command("pause"), 200);
  DashboardClient site = client("xrf-2");
  ASSERT_TRUE(wait_until(kPatience, [&] { return site.live().value("round", 0) > 5; }));

  const json of_coordinator = coordinator.json("/api/document");
  EXPECT_EQ(of_coordinator["kind"], "coordinator");
  EXPECT_FALSE(of_coordinator.contains("study"));
  EXPECT_FALSE(of_coordinator.contains("images"));
  for (const json& curve : of_coordinator["curves"]) EXPECT_EQ(curve["key"], "sum_seconds");
  EXPECT_EQ(coordinator.get("/api/images")->status, 204);
  const std::string metrics = coordinator.get("/metrics")->body;
  EXPECT_NE(metrics.find("firm_site_state{site=\"xrf-1\",state=\""), std::string::npos);
  EXPECT_EQ(metrics.find("firm_objective"), std::string::npos);

  const json of_site = site.json("/api/document");
  EXPECT_EQ(of_site["kind"], "site");
  for (const json& curve : of_site["curves"]) {
    EXPECT_EQ(curve["site"], curve["key"] == "residual" ? "xrf-2" : "");
  }
  ASSERT_EQ(of_site["live"]["sites"].size(), 1u);
  EXPECT_EQ(of_site["live"]["sites"][0]["name"], "xrf-2");
  EXPECT_GT(of_site["live"]["sites"][0]["bytes"], 0);
  const std::string sent = site.get("/metrics")->body;
  EXPECT_NE(sent.find("firm_sent_bytes_total{kind=\"share\"} "), std::string::npos);

  // All have sent, and wait for the coordinator.
  expect_states(
      coordinator,
      {{"xrf-1", "waiting"}, {"xrf-2", "waiting"}, {"xrf-3", "waiting"}, {"xrt", "waiting"}});
  const int sums = coordinator.live()["sums"];
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(coordinator.live()["sums"], sums);
  EXPECT_EQ(coordinator.command("resume"), 200);
  federation_.expect_all_finish();
}

TEST_F(DashboardFederation, SiteThatPausesIsWaitedFor) {
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

TEST_F(DashboardFederation, WhatIsStoppedGoesOnWithTheSameCommand) {
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

}  // namespace
}  // namespace firm
