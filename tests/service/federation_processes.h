// A federation of real processes on this machine: a coordinator and four sites, each behind a proxy
// of its own, so that a coordinator can come back on another port.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "federation/pki/pki_authority.h"
#include "support/process.h"
#include "support/tcp_proxy.h"
#include "support/temporary_directory.h"

namespace firm {

struct FederationPlan {
  int size = 24;
  int angles = 8;
  int slices = 1;
  std::vector<std::string> settings;  // key=value, the same everywhere
  double checkpoint_seconds = 0.05;
  int delay = 0;  // of every message, in ms, each way: what is to happen midway has time to
  std::vector<std::string> coordinator_arguments;
  std::vector<std::string> site_arguments;
  std::string site_line;   // of the study, in the table of every site
  std::string study_line;  // in that of the study
};

class FederationProcesses {
 public:
  static constexpr double kPatience = 300;  // seconds that a test waits for anything

  // Makes study and certificates, and the images of an undisturbed run.
  explicit FederationProcesses(FederationPlan plan) : plan_(std::move(plan)) {
    run({"simulate", "--out", directory_ / "study", "--size", std::to_string(plan_.size),
         "--angles", std::to_string(plan_.angles), "--slices", std::to_string(plan_.slices),
         "--noise", "0.01"});
    add_to_study("[[site]]\n", plan_.site_line);
    add_to_study("[study]\n", plan_.study_line);
    AuthorityOptions authority;
    authority.directory = directory_ / kCoordinator;
    make_pki(authority, current_instant());
    for (const std::string& site : sites()) enrol(site);
    run(with_settings({"recon", study(), "--separate", "--out", directory_ / "reference"}));
    for (const std::string& site : sites()) {
      proxies_[site] = std::make_unique<TcpProxy>();
      proxies_[site]->delay(plan_.delay);
    }
  }

  static const std::vector<std::string>& sites() {
    static const std::vector<std::string> kSites = {"xrf-1", "xrf-2", "xrf-3", "xrt"};
    return kSites;
  }
  static constexpr const char* kCoordinator = "coordinator";
  static std::vector<std::string> everyone() {
    std::vector<std::string> names = sites();
    names.emplace_back(kCoordinator);
    return names;
  }

  std::string study() const { return directory_ / "study/study.toml"; }
  // Where one of them has its files.
  std::string out(const std::string& name) const {
    return directory_ / ("run-" + std::to_string(run_) + "-" + name);
  }
  TcpProxy& proxy(const std::string& site) { return *proxies_.at(site); }
  Process& process(const std::string& name) { return *processes_.at(name); }
  bool running(const std::string& name) {
    const auto found = processes_.find(name);
    return found != processes_.end() && found->second->running();
  }
  bool any_running() {
    const auto names = everyone();
    return std::any_of(names.begin(), names.end(), [&](const auto& n) { return running(n); });
  }
  // All that it has printed in this run, through all restarts.
  std::string log(const std::string& name) {
    const auto found = processes_.find(name);
    return logs_[name] + (found == processes_.end() ? "" : found->second->output());
  }

  std::vector<std::string> command(const std::string& name) {
    return with_settings(name == kCoordinator ? coordinator_command() : site_command(name));
  }
  // Starts one, always with the same command; `settings` come on top.
  void start(const std::string& name, const std::vector<std::string>& settings = {}) {
    std::vector<std::string> words = command(name);
    for (const std::string& s : settings) words.insert(words.end(), {"--set", s});
    start_with(name, words);
  }
  void start_with(const std::string& name, const std::vector<std::string>& words) {
    retire(name);
    processes_[name] = std::make_unique<Process>(words);
    if (name == kCoordinator) lead_to_coordinator();
  }
  void start_all() {
    start(kCoordinator);
    for (const std::string& site : sites()) start(site);
  }
  // kill -9
  void kill(const std::string& name) { process(name).end_by(SIGKILL); }

  // The end of a run: all leave by themselves, with their results.
  void expect_all_finish() {
    for (const std::string& name : everyone()) {
      const std::optional<int> code = process(name).wait(kPatience);
      // 5: the number of rounds was the limit.
      EXPECT_TRUE(code == 0 || (code == 5 && log(name).find("stopped after") != std::string::npos))
          << name << ": exit code " << code.value_or(-999) << "\n"
          << everything_printed();
      if (!code) return;
    }
    expect_reference_images();
    expect_reference_history();
  }
  // What sites tell of every round, also of those that a process made that was killed.
  void expect_reference_history() {
    const std::string expected = history(directory_ / "reference");
    EXPECT_FALSE(expected.empty());
    for (const std::string& site : sites()) {
      EXPECT_EQ(history(out(site)), expected) << site << "\n" << everything_printed();
    }
  }
  void expect_reference_images() {
    for (const std::string& site : sites()) expect_reference_image(site, site);
  }
  // All slices of an image that a site has.
  void expect_reference_image(const std::string& site, const std::string& name) {
    for (int slice = 0; slice < plan_.slices; ++slice) expect_reference_slice(site, name, slice);
  }
  void expect_reference_slice(const std::string& site, const std::string& name, int slice) {
    const std::string number = std::to_string(slice);
    const std::string image =
        "recon/" + name + "_rec/recon_" + std::string(5 - number.size(), '0') + number + ".tiff";
    const std::string expected = file_content(directory_ / ("reference/" + image));
    EXPECT_FALSE(expected.empty()) << image;
    EXPECT_TRUE(expected == file_content(out(site) + "/" + image)) << image << " is another\n"
                                                                   << everything_printed();
  }
  // Ends what is left, and makes room for another run.
  void new_run() {
    processes_.clear();
    logs_.clear();
    for (auto& [site, proxy] : proxies_) {
      proxy->cut();
      proxy->resume();
    }
    for (const std::string& name : everyone()) std::filesystem::remove_all(out(name));
    ++run_;
  }

  nlohmann::json json(const std::string& name, const std::string& file) const {
    return nlohmann::json::parse(file_content(out(name) + "/" + file));
  }
  // The summary of the undisturbed run.
  nlohmann::json reference() const {
    return nlohmann::json::parse(file_content(directory_ / "reference/summary.json"));
  }
  // Rounds at which attempts of this run began.
  std::vector<int> beginnings() {
    const std::string text = log(kCoordinator);
    const std::string mark = " begins at round ";
    std::vector<int> rounds;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size()) {
      rounds.push_back(std::stoi(text.substr(at + mark.size())));
    }
    return rounds;
  }
  // How many messages of that kind have left the site.
  int sent(const std::string& site, const std::string& kind) const {
    const std::string text = file_content(out(site) + "/ledger.jsonl");
    const std::string mark = R"("kind":")" + kind + "\"";
    int count = 0;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  // Lines of a site's ledger.
  std::vector<nlohmann::json> ledger(const std::string& site) const {
    std::vector<nlohmann::json> lines;
    std::istringstream in(file_content(out(site) + "/ledger.jsonl"));
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  // Where a site is: the attempt and the number of the sum that it sent a share for last.
  using Place = std::pair<int, int>;
  Place place(const std::string& site) const {
    const std::string text = file_content(out(site) + "/ledger.jsonl");
    const std::size_t share = text.rfind(R"("kind":"share")");
    if (share == std::string::npos) return {0, -1};
    const std::size_t begin = text.rfind('{', share);
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_discarded()) return {0, -1};
    return {json.at("attempt").get<int>(), json.at("exchange").get<int>()};
  }
  std::string everything_printed() {
    std::string text;
    for (const std::string& name : everyone()) text.append("--- " + name + "\n").append(log(name));
    return text;
  }

 private:
  // What is a sum over all sites, round by round.
  static std::string history(const std::string& directory) {
    std::string text;
    std::istringstream in(file_content(directory + "/history.jsonl"));
    for (std::string line; std::getline(in, line);) {
      const auto json = nlohmann::json::parse(line);
      for (const char* key : {"round", "objective", "step_norm", "kkt"}) {
        text += json.at(key).dump() + " ";
      }
      text += "\n";
    }
    return text;
  }
  void run(std::vector<std::string> command) {
    command.insert(command.begin(), FIRM_PROGRAM);
    Process process(command);
    const std::optional<int> code = process.wait(kPatience);
    // 5: the number of rounds was the limit.
    if (code != 0 && code != 5) throw std::runtime_error(process.output());
  }
  void add_to_study(const std::string& table, const std::string& line) {
    std::string text = file_content(study());
    for (std::size_t at = 0; (at = text.find(table, at)) != std::string::npos;) {
      at += table.size();
      text.insert(at, line + "\n");
    }
    std::ofstream(study()) << text;
  }
  // As `firm pki` does it.
  void enrol(const std::string& site) {
    const std::filesystem::path home = directory_ / site;
    SignOptions options;
    options.directory = directory_ / kCoordinator;
    options.request = request_certificate(home, site).request_path;
    options.out = home / (site + ".crt");
    sign_request(options, current_instant());
    std::filesystem::copy(std::filesystem::path(options.directory) / "ca.crt", home / "ca.crt");
  }
  std::vector<std::string> with_settings(std::vector<std::string> command) const {
    for (const std::string& s : plan_.settings) command.insert(command.end(), {"--set", s});
    return command;
  }
  std::vector<std::string> coordinator_command() const {
    std::vector<std::string> command = {FIRM_PROGRAM,
                                        "coordinator",
                                        study(),
                                        "--listen",
                                        "127.0.0.1:0",
                                        "--pki",
                                        directory_ / kCoordinator,
                                        "--out",
                                        out(kCoordinator),
                                        "--checkpoint-seconds",
                                        std::to_string(plan_.checkpoint_seconds)};
    const auto& more = plan_.coordinator_arguments;
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  std::vector<std::string> site_command(const std::string& name) {
    std::vector<std::string> command = {FIRM_PROGRAM,
                                        "site",
                                        study(),
                                        "--name",
                                        name,
                                        "--server",
                                        "127.0.0.1:" + std::to_string(proxy(name).port()),
                                        "--pki",
                                        directory_ / name,
                                        "--out",
                                        out(name)};
    const auto& more = plan_.site_arguments;
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  void retire(const std::string& name) {
    const auto found = processes_.find(name);
    if (found == processes_.end()) return;
    found->second->end_by(SIGKILL);
    logs_[name] += found->second->output();
    processes_.erase(found);
  }
  void lead_to_coordinator() {
    Process& coordinator = process(kCoordinator);
    const std::string mark = "listening on port ";
    if (!coordinator.prints(mark, kPatience)) throw std::runtime_error("no port");
    const std::string text = coordinator.output();
    const int port = std::stoi(text.substr(text.find(mark) + mark.size()));
    for (auto& [site, proxy] : proxies_) proxy->forward_to(port);
  }
  FederationPlan plan_;
  TemporaryDirectory directory_;
  int run_ = 0;
  std::map<std::string, std::unique_ptr<TcpProxy>> proxies_;
  std::map<std::string, std::string> logs_;
  std::map<std::string, std::unique_ptr<Process>> processes_;
};

}  // namespace firm
