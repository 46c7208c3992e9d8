// A federation of real processes on this machine: a coordinator and four sites, each behind its own
// proxy, so that a restarted coordinator may use another port.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/child_process.h"
#include "federation/pki/authority.h"
#include "support/json_files.h"
#include "support/tcp_proxy.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace firm {

struct FederationPlan {
  int size = 24;
  int angles = 8;
  int slices = 1;
  std::vector<std::string> simulate = {"--noise", "0.01"};  // further arguments
  std::vector<std::string> settings;                        // key=value, for all processes
  double checkpoint_seconds = 0.05;
  int delay = 0;  // of every message, in ms, each way: gives faults time to hit a run midway
  std::vector<std::string> coordinator_arguments;
  std::vector<std::string> site_arguments;
  std::string site_line;   // added to the table of every site in the study
  std::string study_line;  // added to the table [study]
  // A fifth site, xrf-4: the table in the study, with data of one of the others.
  std::string fifth_site = {};
};

class FederationProcesses {
 public:
  static constexpr double kPatience = 300;  // longest wait in seconds

  // Makes study and certificates, and the reference images of an undisturbed run.
  explicit FederationProcesses(FederationPlan plan) : plan_(std::move(plan)) {
    std::vector<std::string> simulate = {"simulate",
                                         "--out",
                                         directory_ / "study",
                                         "--size",
                                         std::to_string(plan_.size),
                                         "--angles",
                                         std::to_string(plan_.angles),
                                         "--slices",
                                         std::to_string(plan_.slices)};
    simulate.insert(simulate.end(), plan_.simulate.begin(), plan_.simulate.end());
    run(simulate);
    add_to_study("[[site]]\n", plan_.site_line);
    add_to_study("[study]\n", plan_.study_line);
    if (!plan_.fifth_site.empty()) {
      members_.insert(members_.end() - 1, "xrf-4");
      add_to_study("[solve]\n", "", plan_.fifth_site);
      std::filesystem::remove(directory_ / "study/truth.h5");  // has no image of it
      std::string text = file_content(study());
      const std::size_t truth = text.find("truth = ");
      text.erase(truth, text.find('\n', truth) - truth);
      std::ofstream(study()) << text;
    }
    AuthorityOptions authority;
    authority.directory = directory_ / kCoordinator;
    make_pki(authority, current_instant());
    for (const std::string& site : members_) enrol(site);
    run(with_settings({"recon", study(), "--separate", "--out", directory_ / "reference"}));
    for (const std::string& site : members_) {
      proxies_[site] = std::make_unique<TcpProxy>();
      proxies_[site]->delay(plan_.delay);
    }
  }

  static const std::vector<std::string>& sites() {
    static const std::vector<std::string> kSites = {"xrf-1", "xrf-2", "xrf-3", "xrt"};
    return kSites;
  }
  // Sites of this federation, a fifth one included.
  const std::vector<std::string>& members() const { return members_; }
  static constexpr const char* kCoordinator = "coordinator";
  std::vector<std::string> everyone() const {
    std::vector<std::string> names = members_;
    names.emplace_back(kCoordinator);
    return names;
  }

  std::string study() const { return directory_ / "study/study.toml"; }
  // The --out directory of a process.
  std::string out(const std::string& name) const {
    return directory_ / ("run-" + std::to_string(run_) + "-" + name);
  }
  // The directory with the certificates of a process.
  std::string pki(const std::string& name) const { return directory_ / name; }
  int coordinator_port() {
    const auto port = process(kCoordinator).text_after("listening on port ", kPatience);
    if (!port) {
      throw std::runtime_error("the coordinator does not listen: " + log(kCoordinator));
    }
    return std::stoi(*port);
  }
  TcpProxy& proxy(const std::string& site) { return *proxies_.at(site); }
  ChildProcess& process(const std::string& name) { return *processes_.at(name); }
  bool running(const std::string& name) {
    const auto found = processes_.find(name);
    return found != processes_.end() && found->second->running();
  }
  bool any_running() {
    const auto names = everyone();
    return std::any_of(names.begin(), names.end(), [&](const auto& n) { return running(n); });
  }
  // Everything that a process has printed in this run, over all restarts.
  std::string log(const std::string& name) {
    const auto found = processes_.find(name);
    return logs_[name] + (found == processes_.end() ? "" : found->second->output());
  }

  std::vector<std::string> command(const std::string& name) {
    return with_settings(name == kCoordinator ? coordinator_command() : site_command(name));
  }
  // Starts a process with its command and additional `settings`.
  void start(const std::string& name, const std::vector<std::string>& settings = {}) {
    std::vector<std::string> words = command(name);
    for (const std::string& s : settings) words.insert(words.end(), {"--set", s});
    start_with(name, words);
  }
  void start_with(const std::string& name, const std::vector<std::string>& words) {
    end_process(name);
    processes_[name] = std::make_unique<ChildProcess>(words);
    if (name == kCoordinator) connect_proxies();
  }
  void start_all() {
    start(kCoordinator);
    for (const std::string& site : members_) start(site);
  }
  // kill -9
  void kill(const std::string& name) { process(name).kill(); }

  // Expects that all processes end by themselves, with the reference results.
  void expect_all_finish() {
    for (const std::string& name : everyone()) {
      const std::optional<int> code = process(name).wait(kPatience);
      // 5: stopped by the limit of rounds.
      EXPECT_TRUE(code == 0 || (code == 5 && log(name).find("stopped after") != std::string::npos))
          << name << ": exit code " << code.value_or(-999) << "\n"
          << everything_printed();
      if (!code) return;
    }
    expect_reference_images();
    expect_reference_history();
  }
  // Compares the history of every round, including those of killed processes.
  void expect_reference_history() {
    const std::string expected = history(directory_ / "reference");
    EXPECT_FALSE(expected.empty());
    for (const std::string& site : members_) {
      EXPECT_EQ(history(out(site)), expected) << site << "\n" << everything_printed();
    }
  }
  void expect_reference_images() {
    for (const std::string& site : members_) expect_reference_image(site, site);
  }
  // Compares all slices of an image at a site.
  void expect_reference_image(const std::string& site, const std::string& name) {
    for (int slice = 0; slice < plan_.slices; ++slice) expect_reference_slice(site, name, slice);
  }
  void expect_reference_slice(const std::string& site, const std::string& name, int slice) {
    const std::string number = std::to_string(slice);
    const std::string image =
        "recon/" + name + "_rec/recon_" + std::string(5 - number.size(), '0') + number + ".tiff";
    const std::string expected = file_content(directory_ / ("reference/" + image));
    EXPECT_FALSE(expected.empty()) << image;
    EXPECT_TRUE(expected == file_content(out(site) + "/" + image)) << image << " differs\n"
                                                                   << everything_printed();
  }
  // Ends all processes, and prepares directories for another run.
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
    return read_json(out(name) + "/" + file);
  }
  // The summary of the undisturbed run.
  nlohmann::json reference() const { return read_json(directory_ / "reference/summary.json"); }
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
  // Number of messages of that kind in the ledger of the site.
  int sent(const std::string& site, const std::string& kind) const {
    const std::string text = file_content(out(site) + "/ledger.jsonl");
    const std::string mark = R"("kind":")" + kind + "\"";
    int count = 0;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  // The lines of a site's ledger about messages that it has sent.
  std::vector<nlohmann::json> ledger(const std::string& site) const {
    std::vector<nlohmann::json> lines = read_json_lines(out(site) + "/ledger.jsonl");
    std::erase_if(lines, [](const nlohmann::json& line) { return line.contains("received"); });
    return lines;
  }
  // Progress of a site: attempt and number of the sum of its last share.
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
  // The values of each round that are sums over all sites.
  static std::string history(const std::string& directory) {
    std::string text;
    for (const nlohmann::json& json : read_json_lines(directory + "/history.jsonl")) {
      for (const char* key : {"round", "objective", "step_norm", "kkt"}) {
        text += json.at(key).dump() + " ";
      }
      text += "\n";
    }
    return text;
  }
  void run(std::vector<std::string> command) {
    command.insert(command.begin(), FIRM_PROGRAM);
    ChildProcess process(command);
    const std::optional<int> code = process.wait(kPatience);
    // 5: stopped by the limit of rounds.
    if (code != 0 && code != 5) throw std::runtime_error(process.output());
  }
  // Adds lines after the heading of a table, or before it.
  void add_to_study(const std::string& table, const std::string& line,
                    const std::string& before = "") {
    std::string text = file_content(study());
    for (std::size_t at = 0; (at = text.find(table, at)) != std::string::npos;) {
      text.insert(at, before);
      at += before.size() + table.size();
      text.insert(at, line + "\n");
    }
    std::ofstream(study()) << text;
  }
  // Makes certificates as `firm pki` does.
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
  void end_process(const std::string& name) {
    const auto found = processes_.find(name);
    if (found == processes_.end()) return;
    found->second->kill();
    logs_[name] += found->second->output();
    processes_.erase(found);
  }
  void connect_proxies() {
    const int port = coordinator_port();
    for (auto& [site, proxy] : proxies_) proxy->forward_to(port);
  }
  FederationPlan plan_;
  std::vector<std::string> members_ = sites();
  TemporaryDirectory directory_;
  int run_ = 0;
  std::map<std::string, std::unique_ptr<TcpProxy>> proxies_;
  std::map<std::string, std::string> logs_;
  std::map<std::string, std::unique_ptr<ChildProcess>> processes_;
};

}  // namespace firm
