// Self-absorption in a federation: the bytes of one process, also after a crash; what sites may
// open, and what they are told.
#include <gtest/gtest.h>

#include "service/federation_processes.h"

namespace firm {
namespace {

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
constexpr double kPatience = FederationProcesses::kPatience;

FederationPlan absorbing(const std::string& start) {
  FederationPlan plan;
  plan.size = 20;
  plan.angles = 10;
  plan.simulate = {"--self-absorption", "--noise", "0.01"};
  plan.settings = {"absorption.rounds=2", "stop.rounds=4", "threads=1"};
  if (!start.empty()) plan.settings.push_back("absorption.start=" + start);
  return plan;
}

// With two energies each, sites need three others.
FederationPlan five_sites(const std::string& start) {
  FederationPlan plan = absorbing(start);
  plan.fifth_site =
      "[[site]]\nname = \"xrf-4\"\nkind = \"xrf\"\ndata = \"xrf-2.h5\"\ncompound = \"Co\"\n"
      "line = \"Co Ka\"\ndetector_side = \"-t\"\nsigma = \"estimate\"\n\n";
  return plan;
}

void expect_reference_absorption(FederationProcesses& federation) {
  const auto reference = federation.reference();
  for (const std::string& site : federation.members()) {
    const auto summary = federation.json(site, "summary.json");
    EXPECT_EQ(summary.at("outer_rounds"), reference.at("outer_rounds")) << site;
    if (site == "xrt") continue;
    EXPECT_EQ(summary.at("masses").size(), 1u);
    EXPECT_EQ(summary.at("masses").at(site), reference.at("masses").at(site)) << site;
    EXPECT_EQ(summary.at("kept_fraction").at(site), reference.at("kept_fraction").at(site));
    EXPECT_LT(summary.at("kept_fraction").at(site), 0.95);
  }
}

TEST(AbsorptionFederation, GivesImagesOfOneProcessFromElements) {
  for (const std::string start : {"xrt", "plain"}) {
    FederationProcesses federation(five_sites(start));
    federation.start_all();
    federation.expect_all_finish();
    expect_reference_absorption(federation);
    for (const std::string& site : federation.members()) {
      // Sums of four sites in each of two rounds.
      EXPECT_EQ(federation.sent(site, "absorption"), 8) << site;
      EXPECT_EQ(federation.sent(site, "absorption-start"), start == "xrt" ? 2 : 0) << site;
    }
  }
}

TEST(AbsorptionFederation, GivesImagesOfOneProcessFromXrt) {
  FederationPlan plan = absorbing("");
  plan.study_line = "attenuation = \"xrt\"\nmatrix = \"CaCO3\"";
  FederationProcesses federation(plan);
  federation.start_all();
  federation.expect_all_finish();
  expect_reference_absorption(federation);
  EXPECT_EQ(federation.sent("xrf-1", "absorption"), 0);
  EXPECT_EQ(federation.sent("xrf-1", "absorption-xrt"), 1);
}

TEST(AbsorptionFederation, ResumesAfterACrash) {
  FederationPlan plan = five_sites("xrt");
  plan.settings = {"absorption.rounds=2", "absorption.start=xrt", "stop.rounds=40",
                   "stop.noise=0",        "stop.kkt=1e-9",        "threads=1"};
  plan.delay = 1;
  plan.checkpoint_seconds = 0;  // in every round
  FederationProcesses federation(plan);
  federation.start_all();
  // Once while T is found, once while the study is solved.
  for (const int shares : {10, 50}) {
    ASSERT_TRUE(wait_until(kPatience, [&] { return federation.sent("xrf-2", "share") > shares; }))
        << federation.everything_printed();
    federation.kill("xrf-1");
    federation.start("xrf-1");
  }
  federation.expect_all_finish();
  expect_reference_absorption(federation);
  const std::vector<int> rounds = federation.beginnings();
  ASSERT_EQ(rounds.size(), 3u);
  EXPECT_GT(rounds[1], 0) << "the search was to be resumed";
  EXPECT_LT(rounds[1], 16);  // rounds of the search: 3 times 5, from 1 on
  EXPECT_GT(rounds[2], 16);
}

// Sites and coordinator refuse before anything is sent.
TEST(AbsorptionFederation, IsRefusedWhereSitesCouldSolveForImages) {
  FederationProcesses federation(absorbing("xrt"));
  for (const std::string name : {"xrf-1", kCoordinator}) {
    ChildProcess process(federation.command(name));
    EXPECT_EQ(process.wait(kPatience), 2) << name;
    EXPECT_CONTAINS(process.output(), "opens sums at 2 energies, and there are 2 other XRF");
  }
  EXPECT_FALSE(std::filesystem::exists(federation.out("xrf-1") + "/ledger.jsonl"));
}

TEST(AbsorptionFederation, AsksForConsentOfXrt) {
  FederationProcesses federation(five_sites(""));
  ChildProcess process(federation.command("xrt"));
  EXPECT_EQ(process.wait(kPatience), 2);
  EXPECT_CONTAINS(process.output(), "absorption.start");
  EXPECT_CONTAINS(process.output(), "if the owner of xrt agrees");
}

}  // namespace
}  // namespace firm
