// A federation that refines its scans first: the bytes of one process, also after crashes.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/files/pending_file.h"
#include "io/study/study_file.h"
#include "service/federation_processes.h"

namespace firm {
namespace {

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
constexpr double kPatience = FederationProcesses::kPatience;

// A rod whose stage jitters and drifts, and whose axis is 2 beamlets off.
FederationPlan shaken_rod(const std::string& refine) {
  FederationPlan plan;
  plan.size = 48;
  plan.angles = 16;
  plan.simulate = {"--preset", "rod",           "--jitter", "2",       "--drift",
                   "1",        "--axis-offset", "2",        "--noise", "0.01"};
  plan.settings = {"refine=" + refine, "stop.rounds=4", "threads=1"};
  return plan;
}

void expect_reference_refinement(FederationProcesses& federation) {
  const auto reference = federation.reference().at("refined");
  for (const std::string& site : FederationProcesses::sites()) {
    const auto refined = federation.json(site, "summary.json").at("refined");
    EXPECT_EQ(refined.at("scans"), reference.at("scans")) << site;
    EXPECT_EQ(refined.at("rounds"), reference.at("rounds")) << site;
    ASSERT_EQ(refined.at("sites").size(), 1u);
    EXPECT_EQ(refined.at("sites").at(site), reference.at("sites").at(site)) << site;
  }
}

TEST(RefinedFederation, GivesImagesOfOneProcess) {
  FederationProcesses federation(shaken_rod("shifts,axis"));
  federation.start_all();
  federation.expect_all_finish();
  expect_reference_refinement(federation);
  const auto shifts = federation.reference().at("refined").at("scans").at("A").at("shifts");
  EXPECT_EQ(shifts.size(), 16u);
  EXPECT_NE(shifts.at(0).get<double>(), 0);
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_TRUE(federation.json(site, "summary.json").at("federation").at("secure_aggregation"));
    EXPECT_CONTAINS(federation.log(site), "scan A: shifts of ");
    EXPECT_CONTAINS(federation.log(site), site + ": rotation axis ");
  }
  EXPECT_EQ(federation.log("xrf-1").find("xrf-2: rotation axis"), std::string::npos);
}

// Every site has filled in what it knows, and that is enough for the same images.
TEST(RefinedFederation, WritesStudyThatGivesSameImages) {
  FederationProcesses federation(shaken_rod("shifts,axis,angles"));
  federation.start_all();
  federation.expect_all_finish();
  std::map<std::string, std::string> studies;
  for (const std::string& site : FederationProcesses::sites()) {
    const StudyFile given = read_study(federation.out(site) + "/study.toml");
    EXPECT_TRUE(given.sites[0].shifts.empty());
    studies[site] = file_content(federation.out(site) + "/refined.toml");
  }
  federation.new_run();
  // The names of data files, ../study/xrf-1.h5, are right beside the given study, too.
  studies[kCoordinator] = studies["xrt"];
  for (const std::string& name : federation.everyone()) {
    std::vector<std::string> command = federation.command(name);
    const std::string study = federation.study() + "-" + name;
    write_text_file(study, studies[name]);
    command[2] = study;
    std::ranges::replace(command, std::string("refine=shifts,axis,angles"),
                         std::string("refine=none"));
    federation.start_with(name, command);
  }
  federation.expect_all_finish();
  EXPECT_FALSE(federation.json("xrt", "summary.json").contains("refined"));
}

// Several slices, counts, a lag and a beam that drifts: all numbers that can be refined.
TEST(RefinedFederation, RefinesEverythingLikeOneProcess) {
  FederationPlan plan = shaken_rod("shifts,shifts-vertical,axis,angles,lag,gain,scale");
  plan.slices = 5;
  plan.simulate = {"--preset",     "rod", "--jitter", "2",   "--axis-offset", "2",
                   "--xrf-counts", "1e4", "--counts", "1e4", "--lag",         "3",
                   "--beam-drift", "0.05"};
  FederationProcesses federation(plan);
  federation.start_all();
  federation.expect_all_finish();
  expect_reference_refinement(federation);
  const auto sites = federation.reference().at("refined").at("sites");
  for (const char* site : {"xrf-1", "xrf-2", "xrf-3"}) {
    EXPECT_TRUE(sites.at(site).contains("scale"));
    EXPECT_TRUE(sites.at(site).contains("coupled"));
  }
  EXPECT_TRUE(sites.at("xrt").contains("lag"));
  EXPECT_EQ(federation.json(kCoordinator, "summary.json").at("attempts"), 1);
}

// More rays than pixels: the sums of scales are longer than those of the rounds.
TEST(RefinedFederation, FindsOpenScalesWithManyAngles) {
  FederationPlan plan = shaken_rod("none");
  plan.size = 32;
  plan.angles = 90;
  plan.simulate = {"--preset", "rod", "--xrf-counts", "1e4", "--counts", "1e4"};
  FederationProcesses federation(plan);
  federation.start_all();
  federation.expect_all_finish();
  expect_reference_refinement(federation);
  for (const std::string& site : FederationProcesses::sites()) {
    const StudyFile refined = read_study(federation.out(site) + "/refined.toml");
    for (const SiteEntry& entry : refined.sites) {
      EXPECT_FALSE(entry.prepare.find_scale) << site << " " << entry.name;
      EXPECT_EQ(entry.prepare.scale.has_value(), entry.name == site && site != "xrt");
    }
  }
}

class RefinedFederationFaults : public ::testing::Test {
 protected:
  static FederationPlan plan() {
    FederationPlan plan = shaken_rod("shifts,axis,scale");
    plan.simulate = {"--preset", "rod",          "--jitter", "2",        "--axis-offset",
                     "2",        "--xrf-counts", "1e4",      "--counts", "1e4"};
    plan.settings = {"refine=shifts,axis,scale", "stop.rounds=60", "stop.discrepancy=0",
                     "threads=1"};
    plan.delay = 1;
    return plan;
  }
  RefinedFederationFaults() : federation_(plan()) {}

  // Kills a process after its site has sent so many shares, and starts it again.
  void kill_after(int shares, const std::string& name) {
    ASSERT_TRUE(wait_until(kPatience, [&] { return federation_.sent("xrf-2", "share") > shares; }))
        << federation_.everything_printed();
    federation_.kill(name);
    federation_.start(name);
  }

  FederationProcesses federation_;
};

TEST_F(RefinedFederationFaults, AlignsAgainAfterKill) {
  federation_.start_all();
  kill_after(10, "xrf-2");
  federation_.expect_all_finish();
  EXPECT_EQ(federation_.beginnings(), (std::vector<int>{0, 0}));
  expect_reference_refinement(federation_);
}

TEST_F(RefinedFederationFaults, ResumesRoundsAfterKill) {
  for (const std::string victim : {"xrf-2", kCoordinator}) {
    federation_.new_run();
    federation_.start_all();
    const auto rounds = [&] {
      return std::ranges::count(file_content(federation_.out("xrf-2") + "/history.jsonl"), '\n');
    };
    ASSERT_TRUE(wait_until(kPatience, [&] { return rounds() > 5; }))
        << federation_.everything_printed();
    federation_.kill(victim);
    federation_.start(victim);
    federation_.expect_all_finish();
    expect_reference_refinement(federation_);
    ASSERT_EQ(federation_.beginnings().size(), 2u) << victim;
    EXPECT_GT(federation_.beginnings()[1], 0) << victim;
  }
}

}  // namespace
}  // namespace firm
