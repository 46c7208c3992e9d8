#include "local_federation.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "child.h"
#include "federation/pki/pki_authority.h"
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

// What `firm pki` does at the coordinator and at every site; only the request, the certificate and
// that of the authority go from one directory to another.
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
}

std::vector<std::string> with_settings(std::vector<std::string> arguments,
                                       const LocalFederation& f) {
  for (const std::string& setting : f.settings) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  return arguments;
}

Error failure(const Child& child, int code) {
  const std::string said = child.output();
  constexpr std::size_t kShown = 1000;
  return {Error::Kind::kNetwork,
          fmt::format("{}: expected a process that ends well, found exit code {}:\n{}", child.log(),
                      code, said.size() > kShown ? said.substr(said.size() - kShown) : said)};
}

bool ended_well(Child& child) {
  const auto code = child.exit_code();
  if (!code) return false;
  if (*code != 0 && *code != kStoppedEarly) throw failure(child, *code);
  return true;
}

// From "listening on port 40001" in what the coordinator says.
int port_of(Child& coordinator, const std::function<void()>& pause) {
  const std::string mark = "listening on port ";
  for (;;) {
    const std::string said = coordinator.output();
    const std::size_t at = said.find(mark);
    if (at != std::string::npos && said.find('\n', at) != std::string::npos) {
      int port = 0;
      std::from_chars(said.data() + at + mark.size(), said.data() + said.size(), port);
      return port;
    }
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
  std::vector<Child> children;
  children.emplace_back(with_settings({"coordinator", f.study, "--listen", "127.0.0.1:0", "--pki",
                                       pki_of(f, "coordinator"), "--out", below(f, "coordinator")},
                                      f),
                        below(f, "coordinator.log"));
  const int port = port_of(children.front(), pause);
  for (const std::string& site : f.sites) {
    children.emplace_back(
        with_settings({"site", f.study, "--name", site, "--server",
                       fmt::format("127.0.0.1:{}", port), "--pki", pki_of(f, site), "--out",
                       site_directory(f, site), "--truth", f.truth, "--set", "threads=1"},
                      f),
        below(f, site + ".log"));
  }
  for (bool all = false; !all; pause()) {
    all = true;
    for (Child& child : children) all = ended_well(child) && all;
  }
}

}  // namespace firm
