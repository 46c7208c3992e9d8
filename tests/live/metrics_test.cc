// Tests of the values that a dashboard takes from a round, and of its metrics.
#include "live/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "live/round_values.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// ---- values of a round -------------------------------------------------------------------------

double value_of(const CurveName& name, const std::string& line) {
  const std::vector<std::string> names = {"xrf-1", "other", "xrt"};
  RoundRecord round;
  round.objective = 5;
  round.residuals = {1, 2, 3};
  const std::vector<CurveName> curves = round_curves(names);
  const std::vector<double> values = round_values(round, line, names);
  EXPECT_EQ(curves.size(), values.size());
  const auto at = std::find(curves.begin(), curves.end(), name);
  EXPECT_NE(at, curves.end()) << name.key << " " << name.site;
  return values[static_cast<std::size_t>(at - curves.begin())];
}

TEST(RoundValues, TakeFitsFromHistoryLine) {
  const std::string line = R"({"round":3,"fit":{"xrf-1":1.5,"xrt":null}})";
  EXPECT_EQ(value_of({"objective", ""}, line), 5);
  EXPECT_EQ(value_of({"residual", "xrt"}, line), 3);
  EXPECT_EQ(value_of({"fit", "xrf-1"}, line), 1.5);
  EXPECT_TRUE(std::isnan(value_of({"fit", "xrt"}, line)));
}

TEST(RoundValues, HaveNoFitWithoutKnownNoise) {
  EXPECT_TRUE(std::isnan(value_of({"fit", "xrf-1"}, R"({"round":3})")));
  EXPECT_TRUE(std::isnan(value_of({"fit", "xrf-1"}, R"({"round":3,"fit":null})")));
  EXPECT_EQ(value_of({"residual", "xrf-1"}, R"({"round":3})"), 1);
}

// ---- metrics -----------------------------------------------------------------------------------

LiveFacts facts_of(const std::string& kind) {
  return {.kind = kind,
          .summary = {{"study", "a \"study\""}},
          .curves = {{"objective", ""}, {"residual", "xrf-1"}, {"residual", "xrt"}}};
}

TEST(Metrics, ReportStateAndLastRound) {
  LiveStatus status;
  status.state = "computing";
  status.round = 7;
  const std::string text = metrics_text(facts_of("recon"), status, {0.5, 2, 1});
  EXPECT_CONTAINS(text, "# TYPE firm_round gauge\nfirm_round 7\n");
  EXPECT_CONTAINS(text, "firm_state{state=\"computing\"} 1\n");
  EXPECT_CONTAINS(text, "firm_state{state=\"paused\"} 0\n");
  EXPECT_CONTAINS(text, "firm_objective 0.5\n");
  EXPECT_CONTAINS(text, "firm_residual{site=\"xrt\"} 1\n");
  EXPECT_CONTAINS(text, "study=\"a \\\"study\\\"\"");
}

// docs/dashboard.md lists these names.
TEST(Metrics, HaveDocumentedNames) {
  LiveFacts facts = facts_of("site");
  facts.curves = {{"objective", ""},   {"kkt", ""},
                  {"step_norm", ""},   {"constraint_violation", ""},
                  {"residual", "xrt"}, {"fit", "xrt"}};
  LiveStatus status;
  status.sites = {{"xrt", "sending", {}}};
  status.sent["share"] = {3, 4096};
  const std::string text = metrics_text(facts, status, {1, 2, 3, 4, 5, 6});
  std::istringstream in(text);
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# TYPE ")) names.insert(line.substr(7, line.find(' ', 7) - 7));
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"firm_info", "firm_state", "firm_run_seconds", "firm_round",
                                   "firm_round_limit", "firm_objective", "firm_kkt_relative",
                                   "firm_step_norm", "firm_constraint_violation", "firm_residual",
                                   "firm_fit", "firm_attempt", "firm_sums", "firm_site_state",
                                   "firm_sent_messages_total", "firm_sent_bytes_total"}));
  EXPECT_CONTAINS(text, "firm_kkt_relative 2\n");
  EXPECT_CONTAINS(text, "firm_step_norm 3\n");
  EXPECT_CONTAINS(text, "firm_constraint_violation 4\n");
  EXPECT_CONTAINS(text, "firm_fit{site=\"xrt\"} 6\n");
  EXPECT_CONTAINS(text, "firm_site_state{site=\"xrt\",state=\"sending\"} 1\n");
}

TEST(Metrics, OmitRoundsAtCoordinator) {
  LiveStatus status;
  status.sites = {{"xrf-1", "lost", {}}, {"xrt", "computing", PeerBytes{4096, 8192}}};
  status.sums = 12;
  status.attempt = 2;
  const std::string text = metrics_text(facts_of("coordinator"), status, {0.5, 2, 1});
  EXPECT_CONTAINS(text, "firm_sums 12\n");
  EXPECT_CONTAINS(text, "firm_attempt 2\n");
  EXPECT_CONTAINS(text, "firm_site_state{site=\"xrf-1\",state=\"lost\"} 1\n");
  EXPECT_CONTAINS(text, "firm_site_received_bytes_total{site=\"xrt\"} 4096\n");
  EXPECT_CONTAINS(text, "firm_site_sent_bytes_total{site=\"xrt\"} 8192\n");
  EXPECT_EQ(text.find("firm_objective"), std::string::npos);
  EXPECT_EQ(text.find("firm_residual"), std::string::npos);
}

TEST(Metrics, ReportTrafficOfSite) {
  LiveStatus status;
  status.sent["share"] = {3, 4096};
  const std::string text = metrics_text(facts_of("site"), status, {});
  EXPECT_CONTAINS(text, "# TYPE firm_sent_bytes_total counter\n");
  EXPECT_CONTAINS(text, "firm_sent_bytes_total{kind=\"share\"} 4096\n");
  EXPECT_EQ(text.find("firm_round"), std::string::npos);
}

}  // namespace
}  // namespace firm
