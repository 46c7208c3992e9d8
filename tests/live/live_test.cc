// Tests of the dashboard's feed and images, without a network.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "live/live_feed.h"
#include "report/page/run_curves.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

// Waits up to half a minute.
bool eventually(const std::function<bool()>& condition) {
  for (int k = 0; k < 3000 && !condition(); ++k) std::this_thread::sleep_for(milliseconds(10));
  return condition();
}

Json line(int round, double value, int chunk = -1) {
  Json j = {{"round", round},
            {"seconds", round / 100.0},
            {"objective", value},
            {"residuals", {{"xrf-1", value}, {"xrt", 2 * value}}}};
  if (chunk >= 0) j["chunk"] = chunk;
  return j;
}

// ---- curves ------------------------------------------------------------------------------------

TEST(RunCurves, ThinsLongRunsWithoutLosingPeaks) {
  RunCurves curves(2000);
  for (int round = 0; round < 100'000; ++round) {
    curves.add(line(round, round == 54'321 ? 7 : 1.0 / (round + 1)));
  }
  const Json all = curves.json();
  ASSERT_EQ(all.size(), 3u);
  for (const Json& curve : all) {
    EXPECT_EQ(curve["points"], 100'000);
    EXPECT_LE(curve["round"].size(), 2000u);
    EXPECT_EQ(curve["round"].front(), 0);
    EXPECT_EQ(curve["round"][150], 150);
    EXPECT_EQ(curve["round"].back(), 99'999);
    const auto peak = std::find(curve["round"].begin(), curve["round"].end(), 54'321);
    EXPECT_NE(peak, curve["round"].end());
    // Repeated thinning leaves no large gaps.
    for (std::size_t k = 1; k < curve["round"].size(); ++k) {
      ASSERT_LE(curve["round"][k].get<int>() - curve["round"][k - 1].get<int>(), 400) << k;
    }
  }
}

TEST(RunCurves, HoldsFitOfEachSite) {
  RunCurves curves(2000);
  for (int round = 0; round < 3; ++round) {
    Json with_fit = line(round, 1);
    with_fit["fit"] = {{"xrf-1", 3.0 - round}, {"xrt", nullptr}};
    curves.add(with_fit);
  }
  Json fits = Json::array();
  for (const Json& curve : curves.json()) {
    if (curve["key"] == "fit") fits.push_back(curve);
  }
  ASSERT_EQ(fits.size(), 2u);
  EXPECT_EQ(fits[0]["site"], "xrf-1");
  EXPECT_EQ(fits[0]["value"], Json::array({3, 2, 1}));
  EXPECT_EQ(fits[1]["value"], Json::array()) << "an unknown fit has no points";
}

TEST(ChunkTimeline, PutsChunksOneAfterTheOther) {
  ChunkTimeline timeline;
  std::vector<int> rounds;
  std::vector<double> seconds;
  for (const auto& [chunk, round] : {std::pair{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}}) {
    Json l = line(round, 1, chunk);
    timeline.apply(l);
    rounds.push_back(l["round"]);
    seconds.push_back(l["seconds"]);
  }
  EXPECT_EQ(rounds, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(seconds, (std::vector<double>{0, 0.01, 0.02, 0.02, 0.03, 0.03}));
}

// ---- events ------------------------------------------------------------------------------------

class Feed : public ::testing::Test {
 protected:
  Feed() : run_("recon"), feed_(run_, std::chrono::hours(1)) { run_.add_watcher(1); }

  void start(const std::string& history = "", std::size_t chunk = 0) {
    run_.start({.study = {{"name", "s"}},
                .summary = {{"study", "s"}, {"method", "firm"}},
                .curves = {{"objective", ""}, {"residual", "xrt"}, {"kkt", ""}},
                .history = history,
                .chunk = chunk});
    feed_.publish();
  }
  void round(int k, const std::optional<TimeLeft>& left = {}) {
    const double value = 1.0 / (k + 1);
    run_.add_round(100, {k, k / 100.0, {value, 2 * value, std::nan("")}}, left);
    feed_.publish();
  }
  Json live() {
    feed_.publish();
    return Json::parse(feed_.document())["live"];
  }
  // Names of the events since the cursor, and the data of the last of each.
  std::vector<std::string> next() {
    std::vector<std::string> names;
    std::istringstream in(feed_.wait(cursor_, milliseconds(0)).text);
    for (std::string text; std::getline(in, text);) {
      if (text.starts_with("event: ")) names.push_back(text.substr(7));
      if (text.starts_with("data: ")) data_[names.back()] = Json::parse(text.substr(6));
    }
    return names;
  }

  LiveRun run_;
  LiveFeed feed_;
  std::uint64_t cursor_ = 0;
  std::map<std::string, Json> data_;
};

TEST_F(Feed, SendsChanges) {
  start(line(0, 1).dump() + "\n" + line(1, 0.5).dump() + "\n");
  Json document = Json::parse(feed_.document(&cursor_));
  EXPECT_EQ(document["format"], "firm-report");
  EXPECT_EQ(document["kind"], "recon");
  EXPECT_EQ(document["summary"]["method"], "firm");
  EXPECT_EQ(document["live"]["state"], "computing");
  EXPECT_EQ(document["curves"][0]["round"], Json::array({0, 1}));

  round(2);
  EXPECT_EQ(next(), (std::vector<std::string>{"rounds", "status"}));
  EXPECT_EQ(data_["rounds"]["curves"][0]["round"], Json::array({2}));
  EXPECT_EQ(data_["status"]["round"], 2);
  EXPECT_EQ(data_["status"]["limit"], 100);
  round(3);
  round(4);
  next();
  EXPECT_EQ(data_["rounds"]["curves"][0]["round"], Json::array({4}));
  document = Json::parse(feed_.document());
  EXPECT_EQ(document["curves"][0]["round"], Json::array({0, 1, 2, 3, 4}));
  EXPECT_EQ(document["live"]["round"], 4);

  // No changes, no events.
  EXPECT_TRUE(next().empty());
  run_.add_message("a message");
  feed_.publish();
  EXPECT_EQ(next(), (std::vector<std::string>{"status"}));
  EXPECT_EQ(data_["status"]["messages"][0]["text"], "a message");
}

TEST_F(Feed, KeepsEachWarningOnce) {
  start();
  EXPECT_EQ(live()["warnings"], Json::array());
  for (int chunk = 0; chunk < 2; ++chunk) {
    run_.add_message("memory: about 1 MB needed");
    run_.add_message("warning: sigma of xrt is missing");
    run_.add_message("xrt: warning: 3 dead beamlets: 1, 2, 3");
    run_.add_message("xrt: no warning: all is well");
  }
  for (int k = 0; k < 100; ++k) run_.add_message("pushes older messages out");
  EXPECT_EQ(live()["warnings"],
            Json::array({"sigma of xrt is missing", "xrt: 3 dead beamlets: 1, 2, 3"}));
  EXPECT_EQ(live()["messages"].size(), 50u);
}

TEST_F(Feed, SendsDocumentAgainToSlowReader) {
  start();
  feed_.document(&cursor_);
  for (int k = 0; k < 100; ++k) round(k);
  const std::vector<std::string> names = next();
  ASSERT_EQ(names, (std::vector<std::string>{"document"}));
  EXPECT_EQ(data_["document"]["curves"][0]["points"], 100);
  round(100);
  EXPECT_EQ(next().front(), "rounds");
}

TEST_F(Feed, RestartsCurvesWithNewAttempt) {
  start();
  round(0);
  round(1);
  feed_.document(&cursor_);
  start(line(0, 1).dump() + "\n");
  EXPECT_EQ(next(), (std::vector<std::string>{"document"}));
  EXPECT_EQ(data_["document"]["curves"][0]["round"], Json::array({0}));
}

TEST_F(Feed, ShowsPriorBeforeFirstRound) {
  start(line(0, 1).dump() + "\n");
  feed_.document(&cursor_);
  run_.add_to_summary({{"prior", {{"kind", "tv"}, {"strength", 0.5}}}});
  feed_.publish();
  EXPECT_EQ(next(), (std::vector<std::string>{"document"}));
  EXPECT_EQ(data_["document"]["summary"]["prior"]["strength"], 0.5);
  EXPECT_EQ(data_["document"]["summary"]["method"], "firm");
  EXPECT_EQ(data_["document"]["curves"][0]["round"], Json::array({0})) << "keeps earlier rounds";
  round(1);
  const Json document = Json::parse(feed_.document());
  EXPECT_EQ(document["curves"][0]["round"], Json::array({0, 1}));
  EXPECT_EQ(document["summary"]["prior"]["kind"], "tv");
}

TEST_F(Feed, ShowsRoundsOfSelfAbsorption) {
  start();
  run_.add_to_summary({{"outer_rounds", 1}, {"masses", {{"xrf-1", 2e-6}}}});
  run_.add_to_summary({{"outer_rounds", 2}, {"masses", {{"xrf-1", 3e-6}}}});
  feed_.publish();
  const Json summary = Json::parse(feed_.document())["summary"];
  EXPECT_EQ(summary["outer_rounds"], 2);
  EXPECT_EQ(summary["masses"]["xrf-1"], 3e-6);
  EXPECT_EQ(summary["method"], "firm");
}

TEST_F(Feed, ContinuesCurvesWithNextChunk) {
  start();
  round(0);
  round(1);
  start(line(0, 1, 0).dump() + "\n" + line(1, 1, 0).dump() + "\n", 1);
  round(0);
  const Json document = Json::parse(feed_.document());
  EXPECT_EQ(document["curves"][0]["round"], Json::array({0, 1, 2}));
  EXPECT_EQ(document["live"]["chunk"], 1);
}

TEST_F(Feed, OmitsUnknownValues) {
  start();
  round(0);
  const Json document = Json::parse(feed_.document());
  ASSERT_EQ(document["curves"].size(), 2u);
  EXPECT_EQ(document["curves"][1]["site"], "xrt");
  EXPECT_EQ(feed_.metrics().find("firm_kkt"), std::string::npos);
}

TEST_F(Feed, MakesNoEventsWithoutOpenPages) {
  run_.add_watcher(-1);
  start();
  round(0);
  EXPECT_TRUE(next().empty());
  run_.add_watcher(1);
  EXPECT_EQ(Json::parse(feed_.document(&cursor_))["curves"][0]["round"], Json::array({0}));
  round(1);
  EXPECT_EQ(next().front(), "rounds");
}

TEST_F(Feed, EndsWithFinalDocument) {
  start();
  round(0);
  feed_.document(&cursor_);
  run_.end("finished", "", R"({"format":"firm-report","kind":"recon","images":null})");
  feed_.publish();
  const LiveFeed::Events events = feed_.wait(cursor_, milliseconds(0));
  EXPECT_TRUE(events.last);
  EXPECT_CONTAINS(events.text, "event: end\n");
  const Json document = Json::parse(feed_.document());
  EXPECT_TRUE(document.contains("images"));
  EXPECT_EQ(document["live"]["state"], "finished");
  EXPECT_FALSE(run_.request_stop());
  EXPECT_FALSE(run_.set_paused(true));
}

TEST_F(Feed, IsPausedOnlyAfterTheRound) {
  const auto state = [&] {
    feed_.publish();
    return Json::parse(feed_.document())["live"]["state"];
  };
  start();
  EXPECT_FALSE(run_.hold());
  run_.set_paused(true);
  EXPECT_EQ(state(), "pausing");
  EXPECT_TRUE(run_.hold());
  EXPECT_EQ(state(), "paused");
  run_.set_paused(false);
  EXPECT_EQ(state(), "computing");
  run_.set_paused(true);
  run_.request_stop();
  EXPECT_FALSE(run_.hold());
}

// The remaining time also falls within a round; it becomes unknown when the estimate has passed.
TEST_F(Feed, CountsDownRemainingTime) {
  start();
  round(0);
  EXPECT_TRUE(live()["remaining"].is_null());
  EXPECT_TRUE(live()["progress"].is_null());
  round(1, TimeLeft{1000, true, 0.25});
  const double first = live()["remaining"];
  EXPECT_LE(first, 1000);
  EXPECT_EQ(live()["at_most"], true);
  EXPECT_EQ(live()["progress"], 0.25);
  ASSERT_TRUE(eventually([&] { return live()["remaining"] < first - 0.15; }));
  round(2, TimeLeft{0.2, false, 0.99});
  EXPECT_EQ(live()["at_most"], false);
  ASSERT_TRUE(eventually([&] { return live()["remaining"].is_null(); }));
  EXPECT_EQ(live()["progress"], 0.99);
}

TEST_F(Feed, DoesNotCountPausesAsWork) {
  start();
  run_.set_paused(true);
  ASSERT_TRUE(run_.hold());
  const double worked = run_.worked();
  round(1, TimeLeft{1000, false, 0.5});
  const double left = live()["remaining"];
  const double seconds = live()["seconds"];
  ASSERT_TRUE(eventually([&] { return live()["seconds"] > seconds + 0.2; }));
  EXPECT_EQ(run_.worked(), worked);
  EXPECT_EQ(live()["remaining"], left);
  run_.set_paused(false);
  EXPECT_FALSE(run_.hold());
  ASSERT_TRUE(eventually([&] { return run_.worked() > worked; }));
  EXPECT_LT(run_.worked(), live()["seconds"].get<double>() - 0.1);
}

// Changes of times alone do not cause an event at every update.
TEST_F(Feed, SendsTimesOnceASecond) {
  start();
  round(1, TimeLeft{1000, false, 0.5});
  const double seconds = live()["seconds"];
  next();
  ASSERT_TRUE(eventually([&] { return live()["seconds"] > seconds + 0.5; }));
  const double passed = live()["seconds"].get<double>() - seconds;
  EXPECT_LE(static_cast<double>(next().size()), 1 + passed);
}

TEST_F(Feed, HoldsResidualTargetsOfEveryChunk) {
  start();
  EXPECT_FALSE(Json::parse(feed_.document()).contains("levels"));
  const std::string history = line(0, 1, 0).dump() + "\n" + line(1, 1, 0).dump() + "\n";
  run_.start({.curves = {{"residual", "xrt"}},
              .history = history,
              .chunk = 1,
              .chunks = 2,
              .residual_targets = {{{"xrt", 3}}, {{"xrt", 2}}}});
  feed_.publish();
  const Json targets = Json::parse(feed_.document())["levels"];
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0]["site"], "xrt");
  EXPECT_EQ(targets[0]["round"], Json::array({0, 2}));
  EXPECT_EQ(targets[0]["seconds"], Json::array({0, 0.01}));
  EXPECT_EQ(targets[0]["value"], Json::array({3, 2}));
}

TEST_F(Feed, ReportsFailureOfRun) {
  start();
  run_.end("failed", "images.h5: no room", "");
  feed_.publish();
  const Json document = Json::parse(feed_.document());
  EXPECT_EQ(document["live"]["state"], "failed");
  EXPECT_EQ(document["live"]["stage"], "images.h5: no room");
}

TEST_F(Feed, AcceptsTextsThatAreNotUtf8) {
  start();
  run_.add_message("caf\xe9");
  feed_.publish();
  EXPECT_NO_THROW(Json::parse(feed_.document()));
}

// ---- images ------------------------------------------------------------------------------------

TEST(LiveImages, PacksImagesOfRun) {
  LiveImages images;
  EXPECT_EQ(images.json(), "");
  std::vector<Variable> variables(2);
  variables[0].name = "xrf-1";
  variables[0].measured = true;
  variables[0].d = -1;
  variables[1].name = "xrt";
  variables[1].measured = variables[1].transmission = true;
  Block block(6, 4);  // two slices of each
  for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = static_cast<float>(k);
  images.update({block, variables, {2, 3, 1e-4}, 10, 20});
  EXPECT_EQ(images.version(), 1u);
  const Json j = Json::parse(images.json());
  EXPECT_EQ(j["slices"], Json::array({10, 11}));
  EXPECT_EQ(j["all_slices"], 20);
  ASSERT_EQ(j["stacks"].size(), 2u);
  EXPECT_EQ(j["stacks"][0]["site"], "xrf-1");
  EXPECT_EQ(j["stacks"][0]["units"], "g/cm^3");
  EXPECT_EQ(j["stacks"][1]["units"], "1/cm");
  EXPECT_EQ(j["stacks"][0]["low"], 0);
  EXPECT_EQ(j["stacks"][0]["high"], 21);  // row 5, second slice
  EXPECT_EQ(j["stacks"][1]["low"], 2);
  EXPECT_EQ(j["stacks"][1]["high"], 23);
}

TEST(LiveRun, WantsImagesOnlyForOpenPages) {
  LiveRun run("recon");
  EXPECT_FALSE(run.wants_images());
  run.add_watcher(1);
  EXPECT_TRUE(run.wants_images());
  EXPECT_FALSE(run.wants_images());  // not twice in a second
}

}  // namespace
}  // namespace firm
