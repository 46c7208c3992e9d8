#include "watched_run.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "child_checks.h"

namespace firm {
namespace {

constexpr int kEndless = 100'000'000;
constexpr double kPatience = 600;

}  // namespace

std::vector<std::string> run_command(const std::string& directory, int rounds, bool dashboard) {
  std::vector<std::string> words = {FIRM_PROGRAM,
                                    "recon",
                                    directory + "/study/study.toml",
                                    "--out",
                                    directory + "/run",
                                    "--overwrite",
                                    "--method",
                                    "firm",
                                    "--set",
                                    "stop.discrepancy=0",
                                    "--set",
                                    fmt::format("firm.hold={}", rounds),
                                    "--set",
                                    fmt::format("stop.rounds={}", rounds)};
  if (dashboard) words.insert(words.end(), {"--dashboard", "127.0.0.1:0"});
  return words;
}

std::vector<double> seconds_of_rounds(const std::string& directory) {
  std::vector<double> seconds;
  std::ifstream in(directory + "/run/history.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto record = nlohmann::json::parse(line);
    seconds.resize(record.at("round").get<std::size_t>());
    seconds.push_back(record.at("seconds"));
  }
  return seconds;
}

WatchedRun::WatchedRun(const std::string& directory)
    : process_(run_command(directory, kEndless, true), {.log = directory + "/printed"}),
      url_(require_text_after(process_, "dashboard: ", kPatience)),
      client_(url_) {}

std::size_t WatchedRun::round() {
  const std::string mark = "\nfirm_round ";
  const auto answer = client_.get("/metrics");
  const std::size_t at = answer ? answer->body.find(mark) : std::string::npos;
  if (at == std::string::npos) throw std::runtime_error("the dashboard does not report a round");
  return std::stoul(answer->body.substr(at + mark.size()));
}

void WatchedRun::stop() {
  if (client_.command("stop") != 200) throw std::runtime_error("the run does not stop");
  require_success(process_, kPatience);
}

}  // namespace firm
