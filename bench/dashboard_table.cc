// What it costs a run to be watched: the paper's study and 16 000 rounds of firm, alone, with a
// dashboard that nobody looks at, with one page that takes every event and all images but draws
// nothing, and with a page in Chromium, on the same processors. The first quarter of the rounds,
// in which a browser starts, does not count.
//
//   dashboard_table [TURNS]    each is run so often, in turns; the fastest counts (default 5)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "child_process.h"
#include "dashboard_client.h"
#include "temporary_directory.h"

namespace firm {
namespace {

constexpr int kRounds = 16000;
constexpr const char* kChromium = "/usr/bin/chromium";

enum class Watch { kNone, kNobody, kPage, kBrowser };

// Every event, and the images that they announce. Nothing is made of them.
void look(const std::string& printed) {
  DashboardClient client(printed);
  httplib::Client stream(client.address());
  stream.set_read_timeout(60);
  stream.Get("/api/events", [&](const char* data, std::size_t size) {
    if (std::string_view(data, size).find("event: images") != std::string_view::npos) {
      client.get("/api/images");
    }
    return true;
  });
  client.get("/api/document");
}

ChildProcess open_browser(const TemporaryDirectory& directory, const std::string& url) {
  return {{kChromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--window-size=1280,900", "--user-data-dir=" + directory / "browser", url},
          directory / "browser-printed"};
}

// From the end of the first quarter of the rounds to that of the last one.
double seconds_of_history(const std::string& path) {
  std::ifstream in(path);
  double begin = 0;
  double end = 0;
  for (std::string line; std::getline(in, line);) {
    const auto round = nlohmann::json::parse(line);
    end = round.at("seconds").get<double>();
    if (round.at("round").get<int>() <= kRounds / 4) begin = end;
  }
  if (end <= begin) throw std::runtime_error(path + ": too few rounds");
  return end - begin;
}

double seconds_of(const TemporaryDirectory& directory, Watch watch) {
  std::vector<std::string> words = {FIRM_PROGRAM,
                                    "recon",
                                    directory / "study/study.toml",
                                    "--out",
                                    directory / "run",
                                    "--overwrite",
                                    "--method",
                                    "firm",
                                    "--set",
                                    "stop.discrepancy=0",
                                    "--set",
                                    fmt::format("firm.hold={}", kRounds),
                                    "--set",
                                    fmt::format("stop.rounds={}", kRounds)};
  if (watch != Watch::kNone) words.insert(words.end(), {"--dashboard", "127.0.0.1:0"});
  ChildProcess process(words, directory / "printed");
  std::jthread page;
  std::optional<ChildProcess> browser;
  if (watch == Watch::kPage || watch == Watch::kBrowser) {
    const std::string url = process.text_after("dashboard: ", 60);
    if (watch == Watch::kPage) page = std::jthread([url] { look(url); });
    if (watch == Watch::kBrowser) browser.emplace(open_browser(directory, url));
  }
  process.wait(600);
  return seconds_of_history(directory / "run/history.jsonl");
}

void print_table(int turns) {
  const TemporaryDirectory directory;
  ChildProcess({FIRM_PROGRAM, "simulate", "--out", directory / "study"}, directory / "printed")
      .wait(600);
  std::vector<Watch> rows = {Watch::kNone, Watch::kNobody, Watch::kPage};
  if (std::filesystem::exists(kChromium)) rows.push_back(Watch::kBrowser);
  std::vector<double> best(rows.size(), 1e9);
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      best[k] = std::min(best[k], seconds_of(directory, rows[k]));
    }
  }
  fmt::print("| rounds {} to {} of firm | seconds | ratio | target |\n|---|---|---|---|\n",
             kRounds / 4, kRounds);
  const char* names[] = {"not watched", "--dashboard, nobody looks",
                         "--dashboard, one page that draws nothing",
                         "--dashboard, Chromium on the same processors"};
  for (std::size_t k = 0; k < best.size(); ++k) {
    fmt::print("| {} | {:.3f} | {:.4f} | {} |\n", names[k], best[k], best[k] / best[0],
               k == 0 ? "" : "1.02");
  }
}

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  firm::print_table(argc > 1 ? std::atoi(argv[1]) : 5);
  return 0;
}
