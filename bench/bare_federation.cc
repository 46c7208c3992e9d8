#include "bare_federation.h"

#include <fmt/format.h>

#include <filesystem>

#include "child_checks.h"
#include "federation/pki/authority.h"

namespace firm {
namespace {

constexpr double kLimitSeconds = 300;

std::vector<std::string> command(const char* part, const BareFederation& f) {
  return {this_program(),
          part,
          f.root,
          fmt::format("{}", f.sites),
          fmt::format("{}", f.words),
          fmt::format("{}", f.rounds),
          f.secure ? "1" : "0"};
}

double figure(ChildProcess& process, const std::string& key) {
  return std::stod(require_text_after(process, key + ": ", 1));
}

}  // namespace

std::vector<std::string> bare_site_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("site-{:02}", i + 1));
  return names;
}

void enrol(const std::string& root, const std::vector<std::string>& sites) {
  const std::string authority = root + "/coordinator";
  make_pki({.directory = authority, .name = "Benchmark", .hosts = {}}, current_instant());
  for (const std::string& name : sites) {
    const std::string directory = fmt::format("{}/{}", root, name);
    const SiteRequest request = request_certificate(directory, name);
    sign_request({.directory = authority,
                  .request = request.request_path,
                  .out = fmt::format("{}/{}.crt", directory, name)},
                 current_instant());
    std::filesystem::copy_file(authority + "/ca.crt", directory + "/ca.crt");
  }
}

BareFigures run_bare(const BareFederation& f) {
  ChildProcess coordinator(command(kCoordinatorPart, f), {.log = f.root + "/coordinator.out"});
  const std::string port = require_text_after(coordinator, "port: ", kLimitSeconds);
  std::vector<ChildProcess> sites;
  for (std::size_t i = 0; i < f.sites; ++i) {
    std::vector<std::string> site = command(kSitePart, f);
    site.push_back(fmt::format("{}", i));
    site.push_back(port);
    sites.emplace_back(site, ChildOptions{.log = fmt::format("{}/site-{}.out", f.root, i)});
  }
  BareFigures figures;
  for (ChildProcess& site : sites) {
    require_success(site, kLimitSeconds);
    figures.sites.push_back({figure(site, "least"), figure(site, "median"), figure(site, "cpu"),
                             figure(site, "up"), figure(site, "down")});
  }
  require_success(coordinator, kLimitSeconds);
  figures.coordinator = {figure(coordinator, "cpu"), figure(coordinator, "idle"),
                         figure(coordinator, "peak")};
  return figures;
}

}  // namespace firm
