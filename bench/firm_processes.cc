#include "firm_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "child_checks.h"
#include "core/timing.h"
#include "io/study/study_file.h"
#include "sim/simulate.h"
#include "support/tcp_proxy.h"

namespace firm {
namespace {

constexpr double kLimitSeconds = 600;

std::string study_path(const std::string& root, const std::string& study) {
  return fmt::format("{}/{}/study.toml", root, study);
}

std::vector<std::string> command(const FirmProcesses& p, const std::string& verb,
                                 const std::string& name) {
  std::vector<std::string> words = {FIRM_PROGRAM,
                                    verb,
                                    study_path(p.root, p.study),
                                    "--pki",
                                    p.root + "/" + name,
                                    "--out",
                                    fmt::format("{}/{}/{}", p.root, p.out, name)};
  for (const std::string& setting : p.settings) {
    words.emplace_back("--set");
    words.push_back(setting);
  }
  return words;
}

FirmFigures figures_of(const FirmProcesses& p, const std::string& site) {
  std::ifstream file(fmt::format("{}/{}/{}/summary.json", p.root, p.out, site));
  const auto json = nlohmann::json::parse(file);
  return {0, json.at("seconds"), json.at("rounds")};
}

}  // namespace

FirmFigures run_firm(const FirmProcesses& p) {
  const std::vector<std::string> names = sites_of(p.root, p.study);
  std::filesystem::create_directories(fmt::format("{}/{}", p.root, p.out));
  const auto output = [&](const std::string& name) {
    return fmt::format("{}/{}/{}.out", p.root, p.out, name);
  };
  std::vector<std::string> coordinator_command = command(p, "coordinator", "coordinator");
  coordinator_command.insert(coordinator_command.end(), {"--listen", "127.0.0.1:0"});
  ChildProcess coordinator(coordinator_command, {.log = output("coordinator")});
  TcpProxy proxy(std::stoi(require_text_after(coordinator, "listening on port ", kLimitSeconds)));
  proxy.delay(p.delay);

  const Stopwatch watch;
  std::vector<ChildProcess> sites;
  for (const std::string& name : names) {
    std::vector<std::string> site = command(p, "site", name);
    site.insert(site.end(),
                {"--name", name, "--server", fmt::format("127.0.0.1:{}", proxy.port())});
    sites.emplace_back(site, ChildOptions{.log = output(name)});
  }
  for (ChildProcess& site : sites) require_success(site, kLimitSeconds);
  const double seconds = watch.seconds();
  require_success(coordinator, kLimitSeconds);
  FirmFigures figures = figures_of(p, names.front());
  figures.seconds = seconds;
  return figures;
}

void make_paper_study(const std::string& root, const std::string& study, int size, int angles,
                      double noise) {
  SimulateOptions options;
  options.size = size;
  options.angles = angles;
  options.noise = noise;
  write_simulation(simulate(options), fmt::format("{}/{}", root, study));
}

void make_study_of(std::size_t sites, const std::string& root, const std::string& study) {
  make_paper_study(root, study, 32, 10, 0.01);
  StudyFile file = read_study(study_path(root, study));
  const std::vector<SiteEntry> first = file.sites;  // the last one is XRT
  const std::size_t kinds = first.size() - 1;
  file.sites.clear();
  for (std::size_t i = 0; i + 1 < sites; ++i) {
    SiteEntry entry = first[i % kinds];
    entry.name = fmt::format("xrf-{:02}", i + 1);
    entry.coefficient *= static_cast<double>(kinds) / static_cast<double>(sites - 1);
    file.sites.push_back(entry);
  }
  file.sites.push_back(first.back());
  write_study(study_path(root, study), file);
}

std::vector<std::string> sites_of(const std::string& root, const std::string& study) {
  std::vector<std::string> names;
  for (const SiteEntry& entry : read_study(study_path(root, study)).sites) {
    names.push_back(entry.name);
  }
  return names;
}

}  // namespace firm
