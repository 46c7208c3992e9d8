// What it costs a run to be watched: the paper's study, 4000 rounds of firm, alone, with a
// dashboard that nobody looks at, and with one page that takes every event and all images. The
// page's own work, drawing, is not in it.
//
//   dashboard_table [TURNS]    each is run so often, in turns; the fastest counts (default 5)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "child_process.h"
#include "dashboard_client.h"
#include "temporary_directory.h"

namespace firm {
namespace {

enum class Watch { kNone, kNobody, kPage };

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
                                    "stop.rounds=4000"};
  if (watch != Watch::kNone) words.insert(words.end(), {"--dashboard", "127.0.0.1:0"});
  ChildProcess process(words, directory / "printed");
  std::jthread page;
  if (watch == Watch::kPage) {
    page = std::jthread([url = process.text_after("dashboard: ", 60)] { look(url); });
  }
  process.wait(600);
  std::ifstream in(directory / "run/summary.json");
  return nlohmann::json::parse(in).at("seconds").get<double>();
}

void print_table(int turns) {
  const TemporaryDirectory directory;
  ChildProcess({FIRM_PROGRAM, "simulate", "--out", directory / "study"}, directory / "printed")
      .wait(600);
  std::vector<double> best(3, 1e9);
  for (int turn = 0; turn < turns; ++turn) {
    for (const Watch watch : {Watch::kNone, Watch::kNobody, Watch::kPage}) {
      double& least = best[static_cast<std::size_t>(watch)];
      least = std::min(least, seconds_of(directory, watch));
    }
  }
  fmt::print("| 4000 rounds of firm | seconds | ratio | target |\n|---|---|---|---|\n");
  const char* names[] = {"not watched", "--dashboard, nobody looks", "--dashboard, one page"};
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
