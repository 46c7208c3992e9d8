#include "local_federation.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/child_process.h"
#include "federation/pki/authority.h"
#include "federation/pki/pinned_keys.h"
#include "firm/error.h"
#include "io/files/pending_file.h"
#include "verbs.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

std::string below(const LocalFederation& f, const std::string& name) {
  return (fs::path(f.out) / name).string();
}

std::string pki_of(const LocalFederation& f, const std::string& who) {
  return below(f, "pki/" + who);
}

// Makes certificates as `firm pki` does at the coordinator and at every site. Only the request, the
// certificate and the authority's certificate are copied from one directory to another.
void make_certificates(const LocalFederation& f) {
  fs::remove_all(below(f, "pki"));
  const std::string authority = pki_of(f, "coordinator");
  make_pki({authority, "Demonstration", {}, kLeafDays}, current_instant());
  for (const std::string& site : f.sites) {
    const SiteRequest request = request_certificate(pki_of(f, site), site);
    const Signed made =
        sign_request({authority, request.request_path, "", kLeafDays, false}, current_instant());
    for (const std::string& file : {made.path, made.ca_path}) {
      fs::copy_file(file, fs::path(pki_of(f, site)) / fs::path(file).filename());
    }
  }
  pin_keys(f.study, authority);
}

std::vector<std::string> with_settings(std::vector<std::string> arguments,
                                       const LocalFederation& f) {
  for (const std::string& setting : f.settings) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  return arguments;
}

Error failure(ChildProcess& child, int code) {
  const std::string said = child.output();
  constexpr std::size_t kShown = 1000;
  return {Error::Kind::kNetwork,
          fmt::format("{}: expected a process that ends well, found exit code {}:\n{}", child.log(),
                      code, said.size() > kShown ? said.substr(said.size() - kShown) : said)};
}

// Throws firm::Error if the process has failed.
bool has_ended(ChildProcess& child) {
  const auto code = child.exit_code();
  if (!code) return false;
  if (*code != 0 && *code != kStoppedEarly) throw failure(child, *code);
  return true;
}

// Waits until the coordinator prints "listening on port 40001"; returns the port's digits.
std::string port_of(ChildProcess& coordinator, const std::function<void()>& pause) {
  for (;;) {
    if (const auto port = coordinator.text_after("listening on port ")) return *port;
    if (const auto code = coordinator.exit_code()) throw failure(coordinator, *code);
    pause();
  }
}

}  // namespace

std::string site_directory(const LocalFederation& f, const std::string& site) {
  return below(f, site);
}

void run_local_federation(const LocalFederation& f, const std::function<void()>& waiting) {
  make_directory(f.out);
  make_certificates(f);
  for (const std::string& site : f.sites) fs::remove_all(site_directory(f, site));
  fs::remove_all(below(f, "coordinator"));
  const auto pause = [&] {
    waiting();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  std::vector<ChildProcess> children;
  children.emplace_back(
      with_settings({this_program(), "coordinator", f.study, "--listen", "127.0.0.1:0", "--pki",
                     pki_of(f, "coordinator"), "--out", below(f, "coordinator")},
                    f),
      ChildOptions{.log = below(f, "coordinator.log")});
  const std::string port = port_of(children.front(), pause);
  for (const std::string& site : f.sites) {
    children.emplace_back(
        with_settings({this_program(), "site", f.study, "--name", site, "--server",
                       fmt::format("127.0.0.1:{}", port), "--pki", pki_of(f, site), "--out",
                       site_directory(f, site), "--truth", f.truth, "--set", "threads=1"},
                      f),
        ChildOptions{.log = below(f, site + ".log")});
  }
  for (bool all = false; !all; pause()) {
    all = true;
    for (ChildProcess& child : children) all = has_ended(child) && all;
  }
}

}  // namespace firm
