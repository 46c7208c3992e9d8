#include "service/coordinator_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/malloc_tuning.h"
#include "core/timing.h"
#include "federation/gate/descriptor_limit.h"
#include "federation/pki/certificates.h"
#include "federation/pki/pinned_keys.h"
#include "federation/pki/revocation.h"
#include "federation/protocol/admission.h"
#include "federation/protocol/coordinator.h"
#include "federation/protocol/member_check.h"
#include "federation/protocol/terms.h"
#include "federation/transport/grpc_server.h"
#include "firm/error.h"
#include "firm/version.h"
#include "io/files/directory_lock.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "io/study/study_file.h"
#include "run/refine_study.h"
#include "run/report/run_report.h"
#include "service/coordinator_record.h"
#include "solve/registry.h"

namespace firm {
namespace {

// Time given to sites to learn that the run is finished.
constexpr double kLeaveSeconds = 5;
constexpr double kViewSeconds = 0.1;

void check_secure_aggregation(const StudyFile& file, const SolveOptions& options,
                              const CoordinatorArguments& a) {
  if (!a.secure) return;
  if (!find_method(options.method).sums_suffice) {
    throw usage_error(
        {a.study, "method",
         fmt::format("one that needs nothing but sums: {} needs every site's image by "
                     "itself; or --insecure",
                     options.method),
         options.method});
  }
  if (file.sites.size() < 3 && !a.allow_two) {
    throw usage_error({a.study, "sites",
                       "three or more, since of two sites each can compute the other's share; or "
                       "--allow-two, which hides them from the coordinator alone",
                       fmt::format("{}", file.sites.size())});
  }
}

// A study may have a single site, but a federation needs two.
void check_site_count(const StudyFile& file, const CoordinatorArguments& a) {
  if (file.sites.size() > 1) return;
  throw usage_error({a.study, "sites", "two or more; firm recon is for one", "1"});
}

// Writes summary.json and report.html, which has the same contents. Keeps those of a run that was
// complete before this call.
void write_summary(const std::string& out, const StudyFile& file, const std::string& method,
                   const CoordinatorResult& r) {
  const auto in_out = [&](const char* name) {
    return (std::filesystem::path(out) / name).string();
  };
  if (r.was_complete && std::filesystem::exists(in_out("summary.json"))) return;
  nlohmann::ordered_json json = {
      {"study", file.name},     {"method", method},         {"run", r.run},
      {"attempts", r.attempts}, {"exchanges", r.exchanges}, {"seconds", r.seconds}};
  for (const CoordinatorView::Peer& site : r.sites) {
    json["sites"].push_back(
        {{"name", site.site}, {"bytes_up", site.bytes.up}, {"bytes_down", site.bytes.down}});
  }
  json["version"] = kVersion;
  const std::string text = json.dump(2) + "\n";
  write_report(in_out("report.html"), {{out}, "", text});
  write_text_file(in_out("summary.json"), text);
}

// Derives the terms, the sites and the limits for their messages from the study.
CoordinatorOptions coordinator_options(const StudyFile& file, const SolveOptions& options,
                                       const CoordinatorArguments& a) {
  CoordinatorOptions setup;
  setup.terms = terms_of(file, options);
  setup.most_words = most_pixels(file);
  setup.slices = static_cast<std::uint64_t>(file.slices);
  if (needed_refinement(file, options).scale) {
    setup.aligned_slices = slices_to_align(static_cast<std::size_t>(file.slices));
  }
  setup.image_values = static_cast<std::uint64_t>(file.rows) *
                       static_cast<std::uint64_t>(file.columns) *
                       static_cast<std::uint64_t>(file.slices);
  setup.check_member = [file](const std::string& site, const v1::Geometry& geometry,
                              const v1::Noise& noise) {
    check_member(file, site, geometry, noise);
  };
  setup.secure = a.secure;
  setup.checkpoint_seconds = a.checkpoint_seconds;
  for (const SiteEntry& site : file.sites) {
    setup.sites.push_back(site.name);
    if (site.kind != "xrt") continue;
    setup.rays_of = site.name;
    if (file.other) setup.other_at = site.name;
  }
  return setup;
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

CoordinatorObserver observe(const CoordinatorArguments& a, const CoordinatorCallbacks& callbacks,
                            const StudyFile& file, CoordinatorRecord& record) {
  CoordinatorObserver observer;
  observer.on_event = callbacks.on_event;
  observer.keep = [&record](const CoordinatorState& state) { record.keep(state); };
  observer.on_exchange = [&record](std::uint64_t, std::uint64_t) { record.count_exchange(); };
  observer.on_message = [&record](const std::string& site, const PeerBytes& more) {
    record.count(site, more);
  };
  observer.on_image = [&a, &file](const std::string& site, const std::string& name,
                                  const auto& values) {
    write_published(a.out, file, site, name, values);
  };
  return observer;
}

void pause_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

bool interrupted(const CoordinatorCallbacks& callbacks) {
  return callbacks.interrupted && callbacks.interrupted();
}

CoordinatorView view_with_bytes(const Coordinator& coordinator, const CoordinatorRecord& record) {
  CoordinatorView view = coordinator.view();
  for (CoordinatorView::Peer& peer : view.sites) peer.bytes = record.bytes(peer.site);
  return view;
}

// Reports progress until the run is finished, fails, or is interrupted. The threads of the server
// do the work meanwhile.
void wait_for_end(const CoordinatorArguments& a, const CoordinatorCallbacks& callbacks,
                  Coordinator& coordinator, CoordinatorRecord& record) {
  const std::uint64_t before = record.exchanges();
  const Stopwatch watch;
  double next_view = 0;
  double next_counts = a.checkpoint_seconds;
  while (!coordinator.finished() && !coordinator.failure() && !interrupted(callbacks)) {
    if (callbacks.on_exchange) callbacks.on_exchange(record.exchanges() - before);
    if (watch.seconds() >= next_counts) {
      record.keep_counts();
      next_counts = watch.seconds() + a.checkpoint_seconds;
    }
    if (callbacks.paused) coordinator.pause(callbacks.paused());
    if (callbacks.on_view && watch.seconds() >= next_view) {
      callbacks.on_view(view_with_bytes(coordinator, record));
      next_view = watch.seconds() + kViewSeconds;
    }
    pause_briefly();
  }
  if (callbacks.on_view) callbacks.on_view(view_with_bytes(coordinator, record));
}

// Connected sites learn at once that the run is finished; one that has just crashed may come back.
void wait_for_sites_to_learn(const Coordinator& coordinator,
                             const CoordinatorCallbacks& callbacks) {
  const Stopwatch watch;
  while (!interrupted(callbacks) && watch.seconds() < kLeaveSeconds &&
         (coordinator.connected() || coordinator.some_not_told())) {
    pause_briefly();
  }
}

}  // namespace

CoordinatorResult run_coordinator(const CoordinatorArguments& a,
                                  const CoordinatorCallbacks& callbacks) {
  tune_malloc();
  const StudyFile file = read_study(a.study);
  const SolveOptions options = federation_options_of(file, a.study, a.settings);
  check_site_count(file, a);
  check_secure_aggregation(file, options, a);
  check_refinement(file, needed_refinement(file, options));
  check_refined_method(file, needed_refinement(file, options), options.method);
  const Credentials credentials = load_coordinator_credentials(a.pki, current_instant());
  make_directory(a.out);
  const DirectoryLock lock(a.out);
  if (callbacks.on_start) callbacks.on_start(file, options);

  const auto revocation = std::make_shared<RevocationCheck>(
      a.pki, credentials.ca_pem, (std::filesystem::path(a.out) / kRevocationMemory).string());
  revocation->check(credentials.certificate, "coordinator.crt", current_instant());
  if (a.secure && callbacks.on_event) {
    const std::string warning = warn_unpinned(file);
    if (!warning.empty()) callbacks.on_event("warning: " + warning);
  }

  CoordinatorRecord record(a.out);
  CoordinatorResult result;
  result.was_complete = record.state().finished;
  Coordinator coordinator(coordinator_options(file, options, a), record.state(),
                          observe(a, callbacks, file, record));
  ServerLimits limits;
  limits.keepalive_seconds = a.keepalive_seconds;
  limits.connections = LobbyLimits::within(raise_descriptor_limit());
  GrpcServer server(coordinator, a.listen,
                    {credentials.ca_pem, credentials.certificate_pem, credentials.key_pem},
                    admission_by(a.pki, credentials.ca_pem, revocation, pinned_keys(file)), limits);
  if (callbacks.on_listening) callbacks.on_listening(server.port());
  wait_for_end(a, callbacks, coordinator, record);
  result.complete = coordinator.finished();
  if (result.complete) wait_for_sites_to_learn(coordinator, callbacks);
  server.shut_down();
  record.keep_counts();
  if (const auto failure = coordinator.failure()) throw *failure;

  result.run = record.state().run;
  result.attempts = record.state().attempt;
  result.exchanges = record.exchanges();
  result.seconds = record.seconds();
  result.sites = view_with_bytes(coordinator, record).sites;
  if (result.complete) write_summary(a.out, file, options.method, result);
  return result;
}

}  // namespace firm
