// Faults at the end of a run: sites that have their results wait for the others, but not forever.
#include "service/federation_processes.h"

namespace firm {
namespace {

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;
constexpr double kPatience = FederationProcesses::kPatience;
const std::vector<std::string> kOthers = {"xrf-1", "xrf-3", "xrt"};

class RunEnd : public ::testing::Test {
 protected:
  explicit RunEnd(const FederationPlan& plan = {}) : federation_(plan) {}

  int sent(const std::string& site, const std::string& kind) {
    return federation_.sent(site, kind);
  }
  // Starts a run and stops at the moment when all sites but xrf-2 have their results, and xrf-2
  // waits for the last sum. Returns false when it has missed that moment, which lasts half a
  // second.
  bool reach_results_of_others() {
    // The last sum follows those of the method and confirms them.
    const int last = federation_.reference().at("exchanges").get<int>();
    federation_.new_run();
    TcpProxy& proxy = federation_.proxy("xrf-2");
    proxy.delay(20);  // to distinguish its last sums
    federation_.start_all();
    const auto wait_for_share = [&](int sum) {
      return wait_until(kPatience, [&] {
        return federation_.place("xrf-2") >= FederationProcesses::Place{1, sum};
      });
    };
    EXPECT_TRUE(wait_for_share(last - 1)) << federation_.everything_printed();
    proxy.delay(250);
    EXPECT_TRUE(wait_for_share(last)) << federation_.everything_printed();
    proxy.stall(TcpProxy::kDown);
    for (const std::string& site : kOthers) {
      EXPECT_TRUE(wait_until(kPatience, [&] { return sent(site, "done") > 0; }))
          << federation_.everything_printed();
    }
    return sent("xrf-2", "done") == 0;
  }
  // Continues until xrf-2 has sent Done but not received the answer.
  bool reach_done() {
    if (!reach_results_of_others()) return false;
    federation_.proxy("xrf-2").resume();
    EXPECT_TRUE(wait_until(kPatience, [&] { return sent("xrf-2", "done") > 0; }));
    federation_.proxy("xrf-2").stall(TcpProxy::kDown);
    for (const std::string& site : kOthers) {
      EXPECT_EQ(federation_.process(site).wait(kPatience), 0) << federation_.everything_printed();
    }
    return federation_.running("xrf-2");
  }
  // Tries several times if necessary.
  static bool reach(const std::function<bool()>& moment) {
    for (int k = 0; k < 5 && !HasFailure(); ++k) {
      if (moment()) return true;
    }
    return false;
  }
  void restore_connection() {
    federation_.proxy("xrf-2").delay(0);
    federation_.proxy("xrf-2").resume();
  }
  int attempts() { return federation_.json(kCoordinator, "coordinator.json").at("attempt"); }

  FederationProcesses federation_;
};

TEST_F(RunEnd, SurvivesKillOfSiteBetweenDoneAndFinished) {
  ASSERT_TRUE(reach([&] { return reach_results_of_others(); }));
  federation_.kill("xrf-1");
  federation_.start("xrf-1");
  restore_connection();
  federation_.expect_all_finish();
  // Its summary includes the messages that it sent after its restart.
  for (const std::string& site : FederationProcesses::sites()) {
    std::uint64_t bytes = 0;
    for (const auto& line : federation_.ledger(site))
      bytes += line.at("bytes").get<std::uint64_t>();
    EXPECT_EQ(federation_.json(site, "summary.json").at("federation").at("bytes"), bytes) << site;
  }
}

TEST_F(RunEnd, SurvivesKillOfSiteWhenOthersAreDone) {
  ASSERT_TRUE(reach([&] { return reach_results_of_others(); }));
  federation_.kill("xrf-2");
  federation_.start("xrf-2");
  restore_connection();
  federation_.expect_all_finish();
  // The others have repeated the last rounds with it.
  EXPECT_EQ(attempts(), 2);
}

TEST_F(RunEnd, SurvivesKillOfCoordinatorWhenSomeAreDone) {
  ASSERT_TRUE(reach([&] { return reach_results_of_others(); }));
  const auto counts = [&](const char* file) { return federation_.json(kCoordinator, file); };
  const int sums = federation_.reference().at("exchanges").get<int>() + 1;
  EXPECT_TRUE(
      wait_until(kPatience, [&] { return counts("coordinator.json").at("exchanges") == sums; }));
  federation_.kill(kCoordinator);
  const double seconds = counts("coordinator.json").at("seconds");
  federation_.start(kCoordinator);
  restore_connection();
  federation_.expect_all_finish();
  // Its summary describes the whole run, not only the last process.
  EXPECT_GE(counts("summary.json").at("exchanges"), sums);
  EXPECT_GT(counts("summary.json").at("seconds"), seconds);
}

TEST_F(RunEnd, SurvivesKillOfCoordinatorWhenSomeKnowTheEnd) {
  ASSERT_TRUE(reach([&] { return reach_done(); }));
  EXPECT_TRUE(federation_.json(kCoordinator, "coordinator.json").at("finished"));
  federation_.kill(kCoordinator);
  federation_.start(kCoordinator);
  federation_.proxy("xrf-2").cut();
  restore_connection();
  federation_.expect_all_finish();
}

TEST_F(RunEnd, SurvivesKillOfSiteWhenOthersHaveLeft) {
  ASSERT_TRUE(reach([&] { return reach_done(); }));
  federation_.kill("xrf-2");
  federation_.start("xrf-2");
  restore_connection();
  federation_.expect_all_finish();
}

TEST_F(RunEnd, SameCommandsAfterTheEndChangeNothing) {
  federation_.start_all();
  federation_.expect_all_finish();
  std::map<std::string, std::string> summaries;
  for (const std::string name : {"xrt", kCoordinator}) {
    summaries[name] = file_content(federation_.out(name) + "/summary.json");
  }
  federation_.start_all();
  federation_.expect_all_finish();
  for (const auto& [name, summary] : summaries) {
    EXPECT_EQ(file_content(federation_.out(name) + "/summary.json"), summary);
  }
  // The sums of the method, and one to confirm them.
  EXPECT_EQ(federation_.json(kCoordinator, "summary.json").at("exchanges"),
            federation_.reference().at("exchanges").get<int>() + 1);
  EXPECT_EQ(federation_.beginnings().size(), 1u);
  for (const auto& entry : std::filesystem::directory_iterator(federation_.out("xrt"))) {
    EXPECT_EQ(entry.path().filename().string().find("checkpoint"), std::string::npos);
  }
}

class Publishing : public RunEnd {
 protected:
  static FederationPlan plan() {
    FederationPlan plan;
    plan.site_arguments = {"--publish"};
    return plan;
  }
  Publishing() : RunEnd(plan()) {}

  bool published(const std::string& site) {
    return std::filesystem::exists(federation_.out(kCoordinator) + "/published/" + site + ".h5");
  }
  // All sites have their results and have sent their images, but that of xrf-2 has not arrived.
  bool reach_image_on_its_way() {
    if (!reach_results_of_others()) return false;
    federation_.proxy("xrf-2").resume();
    EXPECT_TRUE(wait_until(kPatience, [&] { return sent("xrf-2", "done") > 0; }));
    federation_.kill(kCoordinator);
    return !published("xrf-2");
  }
};

TEST_F(Publishing, SurvivesKillOfCoordinatorBeforeAllImagesArrive) {
  ASSERT_TRUE(reach([&] { return reach_image_on_its_way(); }));
  federation_.proxy("xrf-2").cut();
  restore_connection();
  federation_.start(kCoordinator);
  federation_.expect_all_finish();
  for (const std::string& site : FederationProcesses::sites()) EXPECT_TRUE(published(site)) << site;
}

}  // namespace
}  // namespace firm
