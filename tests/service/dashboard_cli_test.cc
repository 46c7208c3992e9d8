// Watches, pauses and stops runs through HTTP; firm view; --quiet and --json.
#include <fmt/format.h>

#include "service/watched_process.h"
#include "support/command_line.h"
#include "support/json_files.h"

namespace firm {
namespace {

using nlohmann::json;

constexpr double kPatience = 120;

class DashboardTest : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out study --size 64 --angles 30 --noise 0.01").code, 0);
  }

  // Starts a run that takes very long unless it is stopped.
  std::vector<std::string> long_run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {FIRM_PROGRAM,
                                      "recon",
                                      directory_ / "study/study.toml",
                                      "--out",
                                      directory_ / "run",
                                      "--method",
                                      "firm",
                                      "--set",
                                      "stop.discrepancy=0",
                                      "--set",
                                      "stop.rounds=10000000",
                                      "--set",
                                      "firm.hold=100000000"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::unique_ptr<ChildProcess> watched(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = long_run({"--dashboard", "127.0.0.1:0"});
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<ChildProcess>(words);
  }
};

bool has(const DashboardClient::Events& events, const std::string& name) {
  return std::any_of(events.begin(), events.end(), [&](const auto& e) { return e.first == name; });
}

bool has_message(const json& live, const std::string& text) {
  const json& all = live.at("messages");
  return std::any_of(all.begin(), all.end(), [&](const json& m) { return m.at("text") == text; });
}

// ---- watching ----------------------------------------------------------------------------------

TEST_F(DashboardTest, ShowsRunInProgress) {
  auto process = watched();
  DashboardClient client = dashboard_of(*process);
  EXPECT_EQ(client.token().size(), 32u);
  const auto page = client.get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_CONTAINS(page->body, R"({"firm":"live"})");
  EXPECT_EQ(page->get_header_value("X-Frame-Options"), "DENY");

  // The first images may be those of round 0, which are zero.
  const auto events = client.events([](const auto& all) {
    return has(all, "rounds") && has(all, "status") && all.back().first == "images" &&
           all.back().second.at("version") >= 2;
  });
  EXPECT_EQ(events.front().first, "document");
  EXPECT_EQ(events.front().second.at("format"), "firm-report");
  int before = -1;
  for (const auto& [name, data] : events) {
    if (name != "rounds") continue;
    for (const json& round : data["curves"][0]["round"]) {
      EXPECT_GT(round.get<int>(), before);
      before = round;
    }
  }
  EXPECT_GE(before, 0);
  const json images = client.json("/api/images");
  ASSERT_EQ(images["stacks"].size(), 4u);
  EXPECT_EQ(images["stacks"][0]["rows"], 64);
  EXPECT_EQ(images["stacks"][0]["view"], "reconstruction");
  EXPECT_GT(images["stacks"][0]["high"], 0);
  const auto metrics = client.get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_CONTAINS(metrics->get_header_value("Content-Type"), "text/plain; version=0.0.4");
  EXPECT_CONTAINS(metrics->body, "firm_residual{site=\"xrf-1\"} ");
  EXPECT_EQ(client.command("stop"), 200);
  EXPECT_EQ(process->wait(kPatience), 5) << process->output();
}

// The run waits for a client, and the program waits until the report has been fetched.
TEST_F(DashboardTest, EndsWithReport) {
  auto process = watched({"--set", "stop.rounds=2000"});
  DashboardClient client = dashboard_of(*process);
  ASSERT_EQ(client.command("pause"), 200);
  bool listening = false;
  const auto events = client.events([&](const auto& all) {
    if (!listening && !all.empty()) listening = client.command("resume") == 200;
    return has(all, "end");
  });
  ASSERT_FALSE(events.empty()) << process->output();
  EXPECT_EQ(events.back().first, "end");
  const json document = client.json("/api/document");
  ASSERT_TRUE(document.is_object()) << process->output();
  EXPECT_EQ(document["live"]["state"], "stopped");
  EXPECT_EQ(document["summary"], summary("run"));
  EXPECT_EQ(document["summary"]["rounds"], 2000);
  EXPECT_TRUE(document["sinograms"].is_object());
  EXPECT_EQ(process->wait(kPatience), 5) << process->output();
}

// ---- pause and stop ----------------------------------------------------------------------------

TEST_F(DashboardTest, PausesAndResumes) {
  auto process = watched();
  DashboardClient client = dashboard_of(*process);
  ASSERT_TRUE(wait_until(kPatience, [&] { return client.live().value("round", 0) > 5; }));
  EXPECT_EQ(client.command("pause"), 200);
  ASSERT_TRUE(wait_until(kPatience, [&] { return client.live()["state"] == "paused"; }));
  const int round = client.live()["round"];
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_EQ(client.live()["round"], round);
  EXPECT_EQ(client.command("resume"), 200);
  EXPECT_TRUE(wait_until(kPatience, [&] { return client.live()["round"] > round; }));
  EXPECT_TRUE(process->prints("\npaused\nresumed\n", kPatience)) << process->output();
  EXPECT_TRUE(wait_until(kPatience, [&] { return has_message(client.live(), "resumed"); }));
  EXPECT_TRUE(has_message(client.live(), "paused"));
  // A paused run can be stopped, too.
  EXPECT_EQ(client.command("pause"), 200);
  EXPECT_EQ(client.command("stop"), 200);
  EXPECT_EQ(process->wait(kPatience), 5) << process->output();
}

TEST_F(DashboardTest, CtrlCEndsPausedRun) {
  auto process = watched();
  DashboardClient client = dashboard_of(*process);
  ASSERT_TRUE(wait_until(kPatience, [&] { return client.live().value("round", 0) > 5; }));
  EXPECT_EQ(client.command("pause"), 200);
  process->send(SIGINT);
  EXPECT_EQ(process->wait(kPatience), 5) << process->output();
}

// A run that was watched, paused, stopped and resumed has the images of an undisturbed run.
TEST_F(DashboardTest, StoppedRunCanBeResumed) {
  auto process = watched();
  DashboardClient client = dashboard_of(*process);
  client.events([](const auto& all) { return has(all, "images"); });
  EXPECT_EQ(client.command("pause"), 200);
  EXPECT_EQ(client.command("resume"), 200);
  EXPECT_EQ(client.command("stop"), 200);
  EXPECT_EQ(process->wait(kPatience), 5) << process->output();
  EXPECT_CONTAINS(process->output(), "--resume");
  const int rounds = summary("run")["rounds"];
  EXPECT_EQ(summary("run")["termination"]["reason"], "interrupted");

  const std::string more = fmt::format("--set stop.rounds={}", rounds + 50);
  EXPECT_EQ(run("recon study/study.toml --out run --resume " + more).code, 5);
  EXPECT_EQ(run("recon study/study.toml --out whole --method firm --set stop.discrepancy=0 "
                "--set firm.hold=100000000 " +
                more)
                .code,
            5);
  for (const char* site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
    const std::string image = fmt::format("recon/{}_rec/recon_00000.tiff", site);
    EXPECT_TRUE(file_content(directory_ / ("run/" + image)) ==
                file_content(directory_ / ("whole/" + image)))
        << site;
  }
}

// ---- access ----------------------------------------------------------------------------------

TEST_F(DashboardTest, RefusesWrongTokenAndForeignHost) {
  auto process = watched();
  DashboardClient client = dashboard_of(*process);
  std::string wrong = client.token();
  wrong[0] = wrong[0] == '0' ? '1' : '0';
  for (const char* path : {"/api/stop", "/api/pause", "/api/resume"}) {
    EXPECT_EQ(client.post(path, wrong), 401) << path;
    EXPECT_EQ(client.post(path, ""), 401) << path;
    EXPECT_EQ(client.get(path)->status, 404) << path;
  }
  const auto other_host = client.get("/api/document", {{"Host", "evil.org"}});
  ASSERT_TRUE(other_host);
  EXPECT_EQ(other_host->status, 403);
  EXPECT_EQ(other_host->body.find("objective"), std::string::npos);
  EXPECT_EQ(client.get("/api/documents")->status, 404);
  const int round = client.live()["round"];
  EXPECT_TRUE(wait_until(kPatience, [&] { return client.live()["round"] > round; }));
  EXPECT_TRUE(process->running());
}

// Listens on an address that other machines may reach.
TEST_F(DashboardTest, RemoteViewersNeedToken) {
  ChildProcess process(long_run({"--dashboard", "[::ffff:127.0.0.1]:0"}));
  ASSERT_TRUE(process.prints("warning: the dashboard can be reached", kPatience))
      << process.output();
  const DashboardClient printed(process.output());
  DashboardClient client("http://127.0.0.1" +
                         printed.address().substr(printed.address().rfind(':')));
  const httplib::Headers token = {{"Authorization", "Bearer " + printed.token()}};
  for (const char* path : {"/api/document", "/api/images", "/api/events"}) {
    EXPECT_EQ(client.get(path)->status, 401) << path;
  }
  EXPECT_EQ(client.get("/")->status, 200);
  EXPECT_EQ(client.get("/metrics")->status, 200);
  EXPECT_EQ(client.get("/api/document", token)->status, 200);
  EXPECT_EQ(client.post("/api/stop", printed.token()), 200);
  EXPECT_EQ(process.wait(kPatience), 5);
}

TEST_F(DashboardTest, ErrorsNameAddress) {
  expect_error(run("recon study/study.toml --out run --dashboard nowhere"), 2,
               "--dashboard: expected PORT or HOST:PORT, for example 8080 or 127.0.0.1:0, found "
               "'nowhere'");
  EXPECT_EQ(run("recon nothing.toml --out run --dashboard 0").code, 2);  // does not hang
  auto process = watched();
  const std::string port =
      dashboard_of(*process).address().substr(std::string("http://127.0.0.1:").size());
  expect_error(
      run("recon study/study.toml --out other --dashboard " + port), 4,
      fmt::format("dashboard: expected an address to listen on, found 127.0.0.1:{}, ", port));
}

// ---- firm view ---------------------------------------------------------------------------------

TEST_F(DashboardTest, ViewShowsFinishedRuns) {
  ASSERT_EQ(run("recon study/study.toml --out joint").code, 0);
  ASSERT_EQ(run("recon study/study.toml --out alone --method pgd --set stop.rounds=50").code, 5);
  std::filesystem::remove(directory_ / "alone/report.html");
  {
    ChildProcess process({FIRM_PROGRAM, "view", directory_ / "joint"});
    DashboardClient client = dashboard_of(process);
    EXPECT_EQ(client.token(), "");
    EXPECT_EQ(client.json("/api/document")["summary"], summary("joint"));
    EXPECT_EQ(client.get("/api/images")->status, 204);
    EXPECT_EQ(client.get("/metrics")->status, 404);
    const auto events = client.events([](const auto&) { return false; });
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[1].first, "end");
    process.send(SIGINT);
    EXPECT_EQ(process.wait(kPatience), 0);
  }
  ChildProcess process({FIRM_PROGRAM, "view", directory_ / "joint", directory_ / "alone"});
  const json both = dashboard_of(process).json("/api/document");
  EXPECT_EQ(both["format"], "firm-comparison");
  ASSERT_EQ(both["runs"].size(), 2u);
  EXPECT_EQ(both["runs"][0]["name"], directory_ / "joint");
  EXPECT_EQ(both["runs"][1]["document"]["summary"]["method"], "pgd");

  ChildProcess open(
      {FIRM_PROGRAM, "view", directory_ / "joint", "--listen", "[::ffff:127.0.0.1]:0"});
  EXPECT_TRUE(open.prints("without encryption", kPatience)) << open.output();
  EXPECT_EQ(process.output().find("warning"), std::string::npos);

  expect_error(run("view joint nothing"), 3, "nothing/summary.json: expected the summary of a run");
  expect_error(run("view joint --listen x:y"), 2, "--listen: expected PORT or HOST:PORT");
}

// ---- the terminal ------------------------------------------------------------------------------

TEST_F(DashboardTest, PrintsJsonLines) {
  const Outcome outcome = run("recon study/study.toml --out run --json");
  EXPECT_EQ(outcome.code, 0);
  std::vector<json> lines = parse_json_lines(outcome.out);
  ASSERT_GE(lines.size(), 3u);
  EXPECT_EQ(lines.front()["type"], "event");
  EXPECT_CONTAINS(lines.front()["text"].get<std::string>(), "memory: ");
  std::string history;
  for (json& line : lines) {
    if (line["type"] != "round") continue;
    line.erase("type");
    history += line.dump();
  }
  std::string expected;
  for (const json& line : read_json_lines(directory_ / "run/history.jsonl"))
    expected += line.dump();
  EXPECT_EQ(history, expected);
  json last = lines.back();
  EXPECT_EQ(last["type"], "summary");
  last.erase("type");
  EXPECT_EQ(last, summary("run"));
}

// Not even if the directory has the summary of another run.
TEST_F(DashboardTest, FailedRunPrintsNoJsonSummary) {
  std::ofstream(directory_ / "summary.json") << "{}";
  expect_error(run("recon nothing.toml --out run --json"), 2, "nothing.toml");
}

TEST_F(DashboardTest, QuietPrintsNothing) {
  const Outcome outcome = run("recon study/study.toml --out run --quiet");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  const Outcome wrong = run("recon study/study.toml --out run --quiet");
  expect_error(wrong, 2, "run");
}

}  // namespace
}  // namespace firm
