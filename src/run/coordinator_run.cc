#include "run/coordinator_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/timing.h"
#include "federation/coordinator.h"
#include "federation/grpc_server.h"
#include "federation/pki.h"
#include "federation/pki_issued.h"
#include "federation/terms.h"
#include "firm/error.h"
#include "firm/version.h"
#include "io/image_file.h"
#include "io/pending_file.h"
#include "io/study_file.h"

namespace firm {
namespace {

// Time for sites to hear that the run is finished.
constexpr double kLeaveSeconds = 5;

void refuse_what_cannot_be_hidden(const StudyFile& file, const SolveOptions& options,
                                  const CoordinatorArguments& a) {
  if (!a.secure) return;
  if (options.method == "fedpgd") {
    throw usage_error({a.study, "method",
                       "one that needs nothing but sums (firm, firm+, firm-ds): fedpgd needs every "
                       "site's image by itself; or --insecure",
                       options.method});
  }
  if (file.sites.size() < 3) {
    throw usage_error({a.study, "sites",
                       "three or more, since of two sites each can compute the other's share; or "
                       "--insecure",
                       fmt::format("{}", file.sites.size())});
  }
}

std::string state_path(const std::string& out) {
  return (std::filesystem::path(out) / "coordinator.json").string();
}

CoordinatorState read_state(const std::string& out) {
  std::ifstream in(state_path(out));
  if (!in) return {};
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("run") || !json.contains("attempt")) {
    throw data_error({state_path(out), "", "the state of a coordinator", "something else"});
  }
  return {json.value("run", ""), json.value("attempt", 0u), json.value("finished", false)};
}

void keep_state(const std::string& out, const CoordinatorState& state) {
  const nlohmann::ordered_json json = {
      {"run", state.run}, {"attempt", state.attempt}, {"finished", state.finished}};
  write_text_file(state_path(out), json.dump() + "\n");
}

void write_summary(const std::string& out, const StudyFile& file, const CoordinatorResult& r) {
  const nlohmann::ordered_json json = {{"study", file.name},     {"run", r.run},
                                       {"attempts", r.attempts}, {"exchanges", r.exchanges},
                                       {"seconds", r.seconds},   {"sites", file.sites.size()},
                                       {"version", kVersion}};
  write_text_file((std::filesystem::path(out) / "summary.json").string(), json.dump(2) + "\n");
}

// What a coordinator must know about the study, and what it may let sites do.
CoordinatorOptions setup_of(const StudyFile& file, const SolveOptions& options,
                            const CoordinatorArguments& a) {
  CoordinatorOptions setup;
  setup.terms = terms_of(file, options);
  setup.most_words = most_words(file);
  setup.image_values = static_cast<std::uint64_t>(file.rows) *
                       static_cast<std::uint64_t>(file.columns) *
                       static_cast<std::uint64_t>(file.slices);
  setup.secure = a.secure;
  setup.checkpoint_seconds = a.checkpoint_seconds;
  for (const SiteEntry& site : file.sites) {
    setup.sites.push_back(site.name);
    if (site.kind == "xrt" && file.other) setup.other_at = site.name;
  }
  return setup;
}

// A site with a certificate of this authority for a site, and with the key that was signed last for
// its name.
Admission admit_by(const std::string& pki, const Credentials& credentials) {
  return [pki, ca = credentials.ca_pem](const std::string& certificate) {
    const CertificateFacts facts =
        verify_peer(certificate, ca, CertificatePurpose::kSite, current_instant());
    const auto last = last_issued(pki, facts.name);
    if (!last || last->key_fingerprint != facts.key_fingerprint) {
      throw Error(Error::Kind::kNetwork,
                  fmt::format("certificate of {}: expected the key that was signed last for this "
                              "name, found another",
                              facts.name));
    }
    return facts.name;
  };
}

void write_published(const std::string& out, const StudyFile& file, const std::string& site,
                     const std::string& name, const std::vector<float>& values) {
  const std::string directory = (std::filesystem::path(out) / "published").string();
  make_directory(directory);
  const bool density =
      name == site &&
      std::any_of(file.sites.begin(), file.sites.end(), [&](const SiteEntry& entry) {
        return entry.name == site && entry.kind == "xrf";
      });
  const ImageGrid grid{static_cast<std::size_t>(file.rows), static_cast<std::size_t>(file.columns),
                       file.pixel_size};
  Block image(grid.rows * grid.columns, static_cast<std::size_t>(file.slices));
  std::copy(values.begin(), values.end(), image.values().begin());
  write_images(fmt::format("{}/{}.h5", directory, name), grid,
               {{name, density ? "density" : "attenuation", density ? "g/cm^3" : "1/cm", &image}});
}

}  // namespace

CoordinatorResult run_coordinator(const CoordinatorArguments& a,
                                  const CoordinatorCallbacks& callbacks) {
  const StudyFile file = read_study(a.study);
  const SolveOptions options = options_of(file, a.study, a.settings);
  refuse_what_cannot_be_hidden(file, options, a);
  const Credentials credentials = load_coordinator_credentials(a.pki, current_instant());
  make_directory(a.out);

  std::atomic<std::uint64_t> exchanges = 0;
  CoordinatorState state = read_state(a.out);
  CoordinatorObserver observer;
  observer.on_event = callbacks.on_event;
  observer.keep = [&](const CoordinatorState& s) {
    keep_state(a.out, s);
    state = s;
  };
  observer.on_exchange = [&](std::uint64_t, std::uint64_t) { ++exchanges; };
  observer.on_image = [&](const std::string& site, const std::string& name, const auto& values) {
    write_published(a.out, file, site, name, values);
  };

  Coordinator coordinator(setup_of(file, options, a), state, observer);
  GrpcServer server(coordinator, a.listen,
                    {credentials.ca_pem, credentials.certificate_pem, credentials.key_pem},
                    admit_by(a.pki, credentials));
  if (callbacks.on_listening) callbacks.on_listening(server.port());
  const auto interrupted = [&] { return callbacks.interrupted && callbacks.interrupted(); };
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const Stopwatch watch;
  for (; !coordinator.finished() && !interrupted(); wait()) {
    if (callbacks.on_exchange) callbacks.on_exchange(exchanges);
  }
  // Sites that are there hear it at once; one that has just crashed may come back to hear it.
  CoordinatorResult result{coordinator.finished(), "", 0, exchanges, watch.seconds()};
  const Stopwatch leaving;
  while (result.complete && !interrupted() && leaving.seconds() < kLeaveSeconds &&
         (coordinator.connected() || coordinator.missed_by_some())) {
    wait();
  }
  server.shut_down();
  result.run = state.run;
  result.attempts = state.attempt;
  if (result.complete) write_summary(a.out, file, result);
  return result;
}

}  // namespace firm
